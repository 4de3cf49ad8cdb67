"""What holds for two published rows whatever their unpublished results are."""

from typing import NamedTuple

from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.scores.bounds import Range, greatest_mean_p, success_p_range
from reproof.scores.stats import holm
from reproof.verdict.claims import Number, Result, count
from reproof.verdict.claims_ruling import difference

_NO_COUNTS = Unknown("no success counts are published")


class Contrast(NamedTuple):
    """Two rows on one metric; `p` spans every pairing of the tasks (from 0 for means)."""

    better: Result
    than: Result
    metric: str
    difference: float
    p: Range


def contrast(better: Result, than: Result, metric: str) -> Contrast | Unknown:
    """The bounds for two rows; unknown without both numbers and one denominator."""
    by = difference(better, than, metric)
    if isinstance(by, Unknown):
        return by
    if isinstance(better.n, Unknown) or isinstance(than.n, Unknown):
        return Unknown("the card does not say how many tasks were run")
    if better.n != than.n:
        return Unknown(f"the denominators differ: {better.n} and {than.n}")
    try:
        found = _p_range(better, than, metric, better.n)
    except InputError as error:
        return Unknown(error.rule)
    return found if isinstance(found, Unknown) else Contrast(better, than, metric, by, found)


def _p_range(better: Result, than: Result, metric: str, n: int) -> Range | Unknown:
    if metric == "success":
        ours, theirs = count(better.success), count(than.success)
        return _NO_COUNTS if ours is None or theirs is None else success_p_range(n, ours, theirs)
    if metric == "mean_return":
        ours_mean, theirs_mean = better.mean_return, than.mean_return
        if isinstance(ours_mean, Number) and isinstance(theirs_mean, Number):
            return Range(0.0, _greatest(n, ours_mean, theirs_mean))
    return Unknown(f"no test of {metric} works on totals alone")


def _greatest(n: int, ours: Number, theirs: Number) -> float:
    """The largest p over the corners of both rounding intervals too."""
    ends = [(a, b) for a in ours.share for b in theirs.share]
    return max(greatest_mean_p(n, *(min(1.0, max(0.0, end)) for end in pair)) for pair in ends)


def adjusted(contrasts: list[Contrast]) -> list[Range]:
    """Holm over all of them, for the least and for the greatest p-values."""
    least = holm([c.p.least for c in contrasts])
    greatest = holm([c.p.greatest for c in contrasts])
    return [Range(*ends) for ends in zip(least, greatest, strict=True)]
