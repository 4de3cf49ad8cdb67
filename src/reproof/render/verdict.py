"""A verdict as text. The value holds every fact; this only lays them out."""

from collections.abc import Iterator

from reproof.ground.unknown import Unknown
from reproof.verdict.verdict import Flips, Noise, Numbers, Verdict

_FEW = 8

Lines = Iterator[str]


def verdict_text(verdict: Verdict) -> str:
    """A few lines: the sentence first, what differs next, the numbers last."""
    name = verdict.outcome.upper().replace("_", " ")
    if verdict.direction:
        name = f"{name} {verdict.direction.upper()}"
    lines = [f"{name}: {verdict.sentence}", *_differences(verdict)]
    if verdict.numbers is not None:
        lines += _numbers(verdict, verdict.numbers)
    lines += [f"  note         {note}" for note in verdict.notes]
    return "\n".join(lines) + "\n"


def _differences(verdict: Verdict) -> Lines:
    for field, ours, theirs in verdict.protocol_differences:
        yield f"  protocol     {field} is {ours}, in the baseline {theirs}"
    yield from _facts("inputs", verdict.input_differences)
    yield from _facts("environment", verdict.environment_differences)


def _facts(title: str, facts: tuple[str, ...] | Unknown) -> Lines:
    if isinstance(facts, Unknown):
        yield f"  {title:<12} cannot be compared: {facts.why}"
    elif not facts:
        yield f"  {title:<12} equal"
    else:
        yield from (f"  {title:<12} {fact}" for fact in facts[:_FEW])
        if len(facts) > _FEW:
            yield f"  {title:<12} and {len(facts) - _FEW} more, see --json"


def _numbers(verdict: Verdict, numbers: Numbers) -> Lines:
    tolerance, (low, high) = verdict.tolerance, numbers.interval
    yield (
        f"  mean_return  {numbers.mean_ours:.4f} against {numbers.mean_theirs:.4f}: "
        f"{numbers.difference:+.4f}, {numbers.difference_tasks:+.1f} of {numbers.n} tasks "
        f"(tolerance {tolerance.mean:g})"
    )
    yield (
        f"               90 % interval [{low:+.4f}, {high:+.4f}], "
        f"p {_p(numbers.p)} ({numbers.p_method})"
    )
    yield (
        f"  success      {numbers.success_ours} against {numbers.success_theirs}: "
        f"{numbers.success_difference:+d} (tolerance {tolerance.success})"
    )
    yield from _flips(numbers.flips)
    if numbers.critical_mean is not None:
        yield (
            f"  drift from   {numbers.critical_mean:.4f} in mean_return or "
            f"{numbers.critical_success} in success"
        )
    yield f"  noise        {_noise(numbers.noise)}"
    yield (
        f"  power        smallest detectable difference {numbers.smallest_detectable:.4f}; "
        f"{numbers.runs_needed} run{'s' * (numbers.runs_needed != 1)} a side needed to prove "
        "that nothing changed"
    )


def _flips(flips: Flips | Unknown) -> Lines:
    if isinstance(flips, Unknown):
        yield f"  flips        unknown: {flips.why}"
        return
    lost, gained = len(flips.lost), len(flips.gained)
    yield f"  flips        {lost} lost, {gained} gained, exact McNemar p {_p(flips.mcnemar)}"
    for word, tasks in (("lost", flips.lost), ("gained", flips.gained)):
        if tasks:
            more = f" and {len(tasks) - _FEW} more" if len(tasks) > _FEW else ""
            yield f"               {word}: {', '.join(tasks[:_FEW])}{more}"


def _noise(noise: Noise) -> str:
    if isinstance(noise.sigma, Unknown):
        return f"sigma unknown ({noise.sigma.why}); {noise.source}"
    df = "" if noise.df is None else f" ({noise.df:.1f} df)"
    return f"sigma {noise.sigma:.4f}{df}; {noise.source}"


def _p(value: float) -> str:
    return f"{value:.4f}" if value >= 0.00005 else f"{value:.2g}"
