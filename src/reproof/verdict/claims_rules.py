"""One rule a kind of claim: from a testable part to a finding."""

from collections.abc import Callable, Sequence
from itertools import combinations

from reproof.ground.unknown import Unknown
from reproof.scores.stats import holm
from reproof.verdict import claims_ruling as ruled
from reproof.verdict.claims import Number, Result
from reproof.verdict.claims_bounds import Contrast, adjusted, contrast
from reproof.verdict.claims_noise import OnePair, one_pair
from reproof.verdict.claims_rows import AGREES, CONTRADICTS, DOUBTFUL, Check
from reproof.verdict.claims_ruling import Finding, Part, difference

ALPHA = 0.05
GAPS = 2
"""A claim of 'more than noise' at up to so many of its own repeat gaps is contradicted.

Chance alone exceeds two gaps in 29 % of cases, so this is a lenient line.
"""

Rule = Callable[[Part, Sequence[Check]], Finding]


def rule_on(part: Part, checks: Sequence[Check]) -> Finding:
    """The finding on one part; `checks` are what the arithmetic of the card gave."""
    return RULES[part.rule](part, checks)


def _arithmetic(part: Part, checks: Sequence[Check]) -> Finding:
    wrong = [check.says for check in checks if check.outcome == CONTRADICTS]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        needs = "the counts behind the numbers"
        return Finding(ruled.CONTRADICTED, wrong[0] + more, needs, part.label)
    if not checks:
        return Finding(ruled.UNTESTABLE, "nothing can be recomputed", "counts", part.label)
    agree = sum(check.outcome == AGREES for check in checks)
    doubtful = sum(check.outcome == DOUBTFUL for check in checks)
    why = f"recomputed: {agree} checks agree"
    why += f"; {doubtful} shares in the text cannot be placed" if doubtful else ""
    return Finding(ruled.SUPPORTED, why, "", part.label)


def _greater(part: Part, _: Sequence[Check]) -> Finding:
    """Better is larger: by bounds first, by repeats where these are given."""
    bounds = _all_contrasts(part)
    if isinstance(bounds, Unknown):
        known = _by_repeats(part) if part.repeats and not part.paired else None
        return known or _untestable(part, bounds.why)
    ranges = adjusted(bounds)
    worst = max(p.greatest for p in ranges)
    if worst < ALPHA and all(each.difference > 0 for each in bounds):
        single = max(each.p.greatest for each in bounds)
        why = f"p at most {_p(single)} under any pairing of the tasks ({_p(worst)} after Holm)"
        return Finding(ruled.SUPPORTED, why, "", part.label)
    if any(p.greatest < ALPHA and c.difference < 0 for p, c in zip(ranges, bounds, strict=True)):
        return Finding(ruled.CONTRADICTED, "proven the other way round", "", part.label)
    if part.repeats and not part.paired:
        return _by_repeats(part)
    if min(p.least for p in ranges) > ALPHA:
        return _never(part, ranges[0].least)
    return _untestable(part, f"p could be anything up to {_p(worst)}: pairing is not published")


def _by_repeats(part: Part) -> Finding:
    """Differences of single runs against the distance of two repeats."""
    pair = _noise(part.repeats)
    if isinstance(pair, Unknown):
        return _untestable(part, pair.why)
    found = [difference(a, b, "mean_return") for a in part.better for b in part.than]
    known = [each for each in found if not isinstance(each, Unknown)]
    ps = [pair.p(each) for each in known]
    if len(known) < len(found) or any(isinstance(p, Unknown) for p in ps):
        return _untestable(part, "a mean, or the noise, is unknown")
    values = [p for p in ps if not isinstance(p, Unknown)]
    confounds = _confounds(part)
    if max(holm(values)) < ALPHA:
        if min(known) > 0:
            why = f"p {_p(max(holm(values)))} on {_df(confounds)}"
            return Finding(ruled.SUPPORTED, why, "", part.label, confounds)
        return Finding(ruled.CONTRADICTED, "proven the other way round", "", part.label, confounds)
    least = values.index(min(values))
    which = "best " if len(values) > 1 else ""
    why = f"{known[least]:+.4f}: {which}p {_p(values[least])} on {_df(confounds)}"
    return Finding(ruled.NOT_SUPPORTED, why, ruled.REPEATS, part.label, confounds)


def _beyond_noise(part: Part, _: Sequence[Check]) -> Finding:
    """`The difference is not noise`, held against the card's own repeats."""
    pair = _noise(part.repeats)
    before, after = part.than[0].mean_return, part.better[0].mean_return
    if isinstance(pair, Unknown) or not isinstance(before, Number) or not isinstance(after, Number):
        return _untestable(part, pair.why if isinstance(pair, Unknown) else "a mean is unknown")
    by = after.value - before.value
    p = pair.p_range(by, after.span.minus(before.span))
    if isinstance(p, Unknown):
        return _untestable(part, p.why)
    confounds = _confounds(part)
    why = f"{by:+.4f} is {abs(by) / pair.gap:.2f} times the repeat gap {pair.gap:.4f}; p {_p(p.p)}"
    why += _in_tasks(by, part.better[0])
    if abs(by) <= GAPS * pair.gap + 1e-9:
        return Finding(ruled.CONTRADICTED, why, ruled.REPEATS, part.label, confounds)
    if p.greatest < ALPHA:
        return Finding(ruled.SUPPORTED, why, "", part.label, confounds)
    why += "; paired over tasks untestable"
    needs = f"{ruled.PER_TASK} (these weights); {ruled.REPEATS} (this recipe)"
    return Finding(ruled.NOT_SUPPORTED, why, needs, part.label, confounds)


def _in_tasks(by: float, result: Result) -> str:
    if isinstance(result.n, Unknown):
        return ""
    tasks = abs(by) * result.n
    return f"; {tasks:.1f} tasks of {result.n}" if tasks >= 1 else "; less than one task"


def _differ(part: Part, _: Sequence[Check]) -> Finding:
    """Any two of the rows differ; for counts this can be excluded for every pairing."""
    found = [contrast(a, b, m) for a, b in combinations(part.better, 2) for m in part.metrics]
    known = [each for each in found if isinstance(each, Contrast)]
    if len(known) < len(found):
        return _untestable(part, next(each.why for each in found if isinstance(each, Unknown)))
    ranges = adjusted(known)
    if min(p.greatest for p in ranges) < ALPHA:
        why = "at least two differ under any pairing of the tasks"
        return Finding(ruled.SUPPORTED, why, "", part.label)
    least = min(p.least for p in ranges)
    if least > ALPHA:
        return _never(part, least)
    return _untestable(part, "the pairing of the tasks is not published")


def _small_noise(part: Part, _: Sequence[Check]) -> Finding:
    """Noise is small if even its upper limit leaves the smallest claimed difference standing."""
    pair = _noise(part.repeats)
    if isinstance(pair, Unknown):
        return _untestable(part, pair.why)
    limits = pair.interval()
    by = difference(part.better[0], part.than[0], "mean_return")
    if isinstance(limits, Unknown) or isinstance(by, Unknown):
        why = limits if isinstance(limits, Unknown) else by
        return _untestable(part, why.why if isinstance(why, Unknown) else "")
    text = f"one pair, 1 df: sigma 95 % [{limits.low:.4f}, {limits.high:.4f}]"
    text += f"; two single runs must differ by {pair.critical(ALPHA):.4f}"
    is_small = pair.critical(ALPHA) < abs(by)
    verdict = ruled.SUPPORTED if is_small else ruled.NOT_SUPPORTED
    needs = "" if is_small else ruled.RERUNS
    return Finding(verdict, text, needs, part.label, _recipes(part))


def _best(part: Part, _: Sequence[Check]) -> Finding:
    """One row is the best of all: on every metric, and told apart from the others."""
    claimed, rows = part.better[0], (*part.better, *part.than)
    tops: list[tuple[str, ...]] = []
    words = []
    for metric in part.metrics:
        cells = [row.cell(metric) for row in rows]
        known = [cell for cell in cells if isinstance(cell, Number)]
        if len(known) < len(rows):
            return _untestable(part, f"a row has no {metric}")
        top = max(known, key=lambda cell: cell.value)
        tops.append(tuple(r.name for r, c in zip(rows, known, strict=True) if c.value == top.value))
        words.append(f"{metric}: {' and '.join(tops[-1])} ({top})")
    text, wins = "; ".join(words), [claimed.name in names for names in tops]
    if not any(wins):
        return Finding(ruled.CONTRADICTED, f"another row is higher: {text}", "", part.label)
    if not all(wins):
        why = f"the metrics disagree: {text}"
        return Finding(ruled.NOT_SUPPORTED, why, ruled.PER_TASK, part.label)
    return _greater(part, ())


def _all_contrasts(part: Part) -> list[Contrast] | Unknown:
    found = [contrast(a, b, m) for a in part.better for b in part.than for m in part.metrics]
    known = [each for each in found if isinstance(each, Contrast)]
    if len(known) == len(found):
        return known
    return next(each for each in found if isinstance(each, Unknown))


def _never(part: Part, least: float) -> Finding:
    at_least = "p = 1" if least >= 1 else f"p at least {_p(least)}"
    why = f"exact {at_least} under any pairing: no unpublished table can change it"
    return Finding(ruled.NOT_SUPPORTED, why, "more tasks", part.label)


def _untestable(part: Part, why: str) -> Finding:
    needs = ruled.PER_TASK
    pair = _noise(part.borrowed) if part.borrowed else None
    if isinstance(pair, OnePair) and part.better and part.than:
        by = difference(part.better[0], part.than[0], "mean_return")
        if not isinstance(by, Unknown) and not isinstance(p := pair.p(by), Unknown):
            why += f"; {by:+.4f} would have p {_p(p)} with noise of another experiment, 1 df"
    return Finding(ruled.UNTESTABLE, why, needs, part.label, _confounds(part))


def _noise(repeats: Sequence[Result]) -> OnePair | Unknown:
    if len(repeats) != 2:
        return Unknown("no run was repeated")
    return one_pair(*repeats)


def _confounds(part: Part) -> tuple[str, ...]:
    """Why the noise of the repeats may not be that of the difference."""
    return (*_recipes(part), *_circular(part))


def _recipes(part: Part) -> tuple[str, ...]:
    ours = {result.experiment for result in (*part.better, *part.than)}
    theirs = {result.experiment for result in (part.repeats or part.borrowed)}
    if not theirs or ours == theirs:
        return ()
    named = " and ".join(sorted(theirs - ours) or sorted(theirs))
    return (f"noise pooled across recipes: measured on {named}",)


def _circular(part: Part) -> tuple[str, ...]:
    compared = {result.place for result in (*part.better, *part.than)}
    shared = [result.name for result in part.repeats if result.place in compared]
    if not shared:
        return ()
    return (f"circular: {shared[0]} is both compared and one of the two repeats",)


def _df(confounds: tuple[str, ...]) -> str:
    borrowed = any("pooled" in confound for confound in confounds)
    return "1 df" + (", noise borrowed from another experiment" if borrowed else "")


def _p(p: float) -> str:
    if p >= 0.1:
        return f"{p:.3g}"
    return f"{p:.3f}" if p >= 0.0095 else f"{p:.2g}"


RULES: dict[str, Rule] = {
    "arithmetic": _arithmetic,
    "greater": _greater,
    "beyond-noise": _beyond_noise,
    "differ": _differ,
    "small-noise": _small_noise,
    "best": _best,
}
