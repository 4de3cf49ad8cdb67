"""An audit as text or Markdown. The value holds every fact; this only lays them out."""

from collections import Counter
from collections.abc import Iterator, Sequence

from reproof.ground.unknown import Unknown
from reproof.render.sheet import Sheet, aligned, piped
from reproof.verdict.claims import Result
from reproof.verdict.claims_audit import Audit, Bounds, NoiseFloor, Step
from reproof.verdict.claims_bounds import Contrast
from reproof.verdict.claims_rows import AGREES, Check, RowAudit
from reproof.verdict.claims_ruling import MEANING, VERDICTS, Finding, Ruling

_ORDER = ("contradicts", "doubtful", "agrees", "noted")
_PLURAL = {"contradicts": "contradict", "doubtful": "doubtful", "agrees": "agree", "noted": "noted"}
_INDENT = "    "
_NONE = "-"


def audit_text(audit: Audit) -> str:
    """For a terminal: rulings first, then what they rest on."""
    lines = [headline(audit), ""]
    if audit.rulings:
        lines += ["Claims", *(line for ruling in audit.rulings for line in _ruling(ruling)), ""]
    if audit.confounds:
        lines += ["Confounds", *(f"  {confound}" for confound in audit.confounds), ""]
    for sheet in sheets(audit):
        lines += [sheet.title, *aligned(sheet), ""]
    return "\n".join(lines[:-1]) + "\n"


def audit_markdown(audit: Audit) -> str:
    """For a pull request or a page."""
    parts = [f"**{headline(audit)}**"]
    if audit.rulings:
        parts += ["## Claims", ledger(audit.rulings), "### What would settle them", _needs(audit)]
    if audit.confounds:
        parts += ["## Confounds", "\n".join(f"- {confound}" for confound in audit.confounds)]
    for sheet in sheets(audit):
        parts += [f"## {sheet.title}", piped(sheet.head, sheet.rows)]
        parts += [sheet.note] if sheet.note else []
    return "\n\n".join(parts) + "\n"


def headline(audit: Audit) -> str:
    """One sentence: how many claims, checks and what came of them."""
    checks = Counter(check.outcome for check in audit.checks)
    numbers = ", ".join(f"{checks[name]} {_PLURAL[name]}" for name in _ORDER if checks[name])
    text = f"{audit.card.file}: {len(audit.checks)} checks of numbers ({numbers or 'none'})"
    if not audit.rulings:
        return f"{text}; no claims in words were given"
    found = Counter(f.verdict for ruling in audit.rulings for f in ruling.findings)
    verdicts = ", ".join(f"{found[name]} {name}" for name in VERDICTS if found[name])
    return f"{text}; {len(audit.rulings)} claims in {sum(found.values())} parts: {verdicts}"


def ledger(rulings: Sequence[Ruling]) -> str:
    """The ledger as a Markdown table: claim, verdict, why."""
    rows = tuple(
        (
            ruling.claim.title,
            f"**{ruling.verdict}**",
            "; ".join(_labelled(finding, finding.why) for finding in ruling.findings),
            ", ".join(dict.fromkeys(str(quote.place) for quote in ruling.claim.quotes)),
        )
        for ruling in rulings
    )
    return piped(("claim", "verdict", "why", "said at"), rows)


def meanings() -> str:
    """What each verdict means, as a Markdown list."""
    return "\n".join(f"- **{verdict}**: {meaning}." for verdict, meaning in MEANING.items())


def sheets(audit: Audit) -> Iterator[Sheet]:
    """Every table of the audit that has rows."""
    made = (
        _rows(audit.rows),
        _steps(audit.steps),
        _bounds(audit.bounds),
        _noise(audit.noise),
        _checks(audit.checks),
    )
    return (sheet for sheet in made if sheet.rows)


def _needs(audit: Audit) -> str:
    lines = [
        f"- {ruling.claim.title}: {_labelled(finding, finding.needs)}"
        for ruling in audit.rulings
        for finding in ruling.findings
        if finding.needs
    ]
    confounds = [
        f"- {ruling.claim.title}: {_labelled(finding, confound)}"
        for ruling in audit.rulings
        for finding in ruling.findings
        for confound in finding.confounds
    ]
    return "\n".join(
        lines + (["", "What else could explain them:", "", *confounds] * bool(confounds))
    )


def _ruling(ruling: Ruling) -> Iterator[str]:
    yield f"  {ruling.verdict.upper()}: {ruling.claim.title}"
    for quote in ruling.claim.quotes:
        yield f'{_INDENT}{quote.place} "{quote.text}"'
    for finding in ruling.findings:
        yield f"{_INDENT}{_labelled(finding, finding.why)}"
        yield from (f"{_INDENT}{confound}" for confound in finding.confounds)
        if finding.needs:
            yield f"{_INDENT}would settle it: {finding.needs}"


def _labelled(finding: Finding, text: str) -> str:
    return f"{finding.label}: {text}" if finding.label else text


def _rows(rows: Sequence[RowAudit]) -> Sheet:
    head = (
        "row",
        "n*mean",
        "s/n",
        "(s+p)/n",
        "partial sum",
        "mean credit",
        "zeros",
        "from partial",
    )
    cells = tuple(
        (
            row.result.name,
            f"{row.total:.3f}",
            f"{row.solved:.4f}",
            f"{row.touched:.4f}",
            f"{row.partial_sum:.3f}",
            f"{row.credit:.4f} ({row.credit_span.low:.4f} to {row.credit_span.high:.4f})",
            str(row.zeros),
            f"{row.partial_share:.0%}",
        )
        for row in rows
    )
    note = "s solved, p solved in part; the range of mean credit is that of rounding."
    return Sheet("Rows", head, cells, note)


def _steps(steps: Sequence[Step]) -> Sheet:
    head = ("from", "to", "total", "success", "partial count", "partial value")
    cells = tuple(
        (
            step.before.name,
            step.after.name,
            *(
                f"{part:+.2f}"
                for part in (
                    step.parts.total,
                    step.parts.success,
                    step.parts.partial_count,
                    step.parts.partial_value,
                )
            ),
        )
        for step in steps
    )
    return Sheet("Changes, in whole tasks", head, cells, "The parts add up to the total.")


def _bounds(bounds: Sequence[Bounds]) -> Sheet:
    head = ("from", "to", "mean", "p at most", "success", "exact p", "p by the repeats (1 df)")
    cells = tuple(
        (
            each.before.name,
            each.after.name,
            *_mean(each.mean),
            *_success(each.success),
            _NONE if isinstance(each.by_repeats, Unknown) else f"{each.by_repeats:.4f}",
        )
        for each in bounds
    )
    note = "Over every pairing of the tasks that fits the totals."
    return Sheet("What holds under any pairing", head, cells, note)


def _mean(mean: Contrast | Unknown) -> tuple[str, str]:
    if isinstance(mean, Unknown):
        return _NONE, _NONE
    return f"{mean.difference:+.4f}", _p(mean.p.greatest)


def _success(success: Contrast | Unknown) -> tuple[str, str]:
    if isinstance(success, Unknown):
        return _NONE, _NONE
    least, greatest = _p(success.p.least), _p(success.p.greatest)
    return f"{success.difference:+.0f}", least if least == greatest else f"{least} to {greatest}"


def _noise(noise: NoiseFloor | Unknown) -> Sheet:
    head = ("repeats", "gap", "sigma (1 df)", "95 %", "two runs must differ by")
    if isinstance(noise, Unknown):
        return Sheet("Noise", head, ())
    sigma, span = noise.sigma, noise.interval
    cells = (
        f"{_of(noise.pair.first)} and {_of(noise.pair.second)}",
        f"{noise.pair.gap:.4f}",
        _NONE if isinstance(sigma, Unknown) else f"{sigma:.6f}",
        _NONE if isinstance(span, Unknown) else f"{span.low:.4f} to {span.high:.4f}",
        f"{noise.critical:.4f}",
    )
    return Sheet("Noise from the one pair of repeats", head, (cells,))


def _of(result: Result) -> str:
    return f"{result.name} {result.mean_return}"


def _checks(checks: Sequence[Check]) -> Sheet:
    """What does not agree first; what agrees is shown too, since it was claimed."""
    order = sorted(checks, key=lambda check: _ORDER.index(check.outcome))
    cells = tuple((_loud(each.outcome), each.kind, each.says, str(each.place)) for each in order)
    return Sheet("Numbers computed again", ("outcome", "kind", "what", "at"), cells)


def _loud(outcome: str) -> str:
    return outcome if outcome == AGREES else outcome.upper()


def _p(p: float) -> str:
    if p >= 1:
        return "1"
    return f"{p:.3g}" if p >= 0.001 else f"{p:.1e}"
