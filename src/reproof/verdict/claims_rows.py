"""Each row of a results table computed again: what its numbers imply, and whether they can hold."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reproof.ground.unknown import Unknown
from reproof.scores.ranking import Decomposition, Totals, decompose
from reproof.verdict.claims import Number, Place, Result, Span, count
from reproof.verdict.claims_percent import counts, nearest

AGREES, CONTRADICTS, DOUBTFUL, NOTED = "agrees", "contradicts", "doubtful", "noted"
_GRIDS = range(1, 61)
_SLACK = 1e-9


class Check(NamedTuple):
    """One thing computed again.

    `outcome`: agrees; contradicts; doubtful, when the card does not say what was
    counted and the likely thing does not fit; noted, for what proves nothing.
    """

    kind: str
    outcome: str
    says: str
    place: Place


@dataclass(frozen=True, slots=True)
class RowAudit:
    """What a row implies. `credit` is the mean return of the tasks solved in part."""

    result: Result
    total: float
    solved: float
    touched: float
    partial_sum: float
    credit: float
    credit_span: Span
    zeros: int
    partial_share: float


def audit_row(result: Result) -> RowAudit | Unknown:
    """The implied numbers; unknown when a number that they need is missing."""
    totals = totals_of(result)
    if isinstance(totals, Unknown) or not isinstance(result.mean_return, Number):
        return totals if isinstance(totals, Unknown) else Unknown("the card gives no mean_return")
    n, mean, success, partial = totals
    if not partial:
        return Unknown("no task is solved in part")
    low, high = result.mean_return.span
    credit = Span((n * low - success) / partial, (n * high - success) / partial)
    return RowAudit(
        result,
        total=n * mean,
        solved=success / n,
        touched=(success + partial) / n,
        partial_sum=n * mean - success,
        credit=(n * mean - success) / partial,
        credit_span=credit,
        zeros=n - success - partial,
        partial_share=(n * mean - success) / (n * mean) if mean else 0.0,
    )


def totals_of(result: Result) -> Totals | Unknown:
    """Both counts and the mean of a row, when it has all of them."""
    success, partial = count(result.success), count(result.partial)
    if isinstance(result.n, Unknown):
        return result.n
    if success is None or partial is None or not isinstance(result.mean_return, Number):
        lacks = "success" if success is None else "partial" if partial is None else "mean_return"
        return Unknown(f"the card gives no {lacks}")
    return Totals(result.n, result.mean_return.value, success, partial)


def split(before: Result, after: Result) -> Decomposition | Unknown:
    """The change between two rows in units of whole tasks, in its three parts."""
    ours, theirs = totals_of(before), totals_of(after)
    if isinstance(ours, Unknown):
        return ours
    if isinstance(theirs, Unknown):
        return theirs
    return decompose(ours, theirs) if ours.n == theirs.n else Unknown("the denominators differ")


def check_row(result: Result) -> Iterator[Check]:
    """Rate against count, and the bounds of the mean. Silent on what is not given."""
    if isinstance(result.n, Unknown):
        return
    n, success, partial = result.n, count(result.success), count(result.partial)
    if success is not None:
        yield from _check_counts(result, n, success, partial or 0)
        yield from _check_rate(result, n, success)
        yield from _check_mean(result, n, success, partial)


def _check_counts(result: Result, n: int, success: int, partial: int) -> Iterator[Check]:
    if success + partial > n:
        says = f"{result.name}: {success} solved and {partial} in part are more than {n} tasks"
        yield Check("counts", CONTRADICTS, says, result.place)


def _check_rate(result: Result, n: int, success: int) -> Iterator[Check]:
    rate = result.success_rate
    if not isinstance(rate, Number):
        return
    if success in counts(rate.share, n):
        says = f"{result.name}: {success}/{n} = {100 * success / n:.2f} %, printed {rate}"
        yield Check("rate", AGREES, says, rate.place)
        return
    says = f"{result.name}: {success}/{n} is {100 * success / n:.2f} %, printed {rate}"
    fits = counts(rate.share, n)
    other = _denominators(rate, success)
    hint = f"; {rate} of {n} would be {fits[0]}" if fits else _impossible(rate, n)
    hint += f"; {success} would fit {other}" if other else ""
    yield Check("rate", CONTRADICTS, says + hint, rate.place)


def _impossible(rate: Number, n: int) -> str:
    near = nearest(rate, n)
    return f"; no k/{n} rounds to {rate}, nearest is {near.k}/{n} = {100 * near.value:.2f} %"


def _denominators(rate: Number, success: int) -> str:
    """Another denominator is the usual reason, so it is worth naming."""
    low, high = rate.share
    if not success or low <= 0:
        return ""
    least, most = math.ceil(success / high - _SLACK), math.floor(success / low + _SLACK)
    if least > most:
        return ""
    return f"{least} tasks" if least == most else f"{least} to {most} tasks"


def _check_mean(result: Result, n: int, success: int, partial: int | None) -> Iterator[Check]:
    mean = result.mean_return
    if not isinstance(mean, Number):
        return
    top = n if partial is None else success + partial
    bounds = Span(success / n, min(top, n) / n)
    outcome = AGREES if mean.share.meets(bounds) else CONTRADICTS
    inside = "within" if outcome == AGREES else "outside"
    known = "" if partial is not None else " (partial unknown)"
    says = f"{result.name}: mean {mean} {inside} [{bounds.low:.4f}, {bounds.high:.4f}]{known}"
    yield Check("bounds", outcome, says, mean.place)


def check_grid(results: Sequence[Result]) -> Iterator[Check]:
    """Is partial credit on a common grid of 1/m? A weak check: it proves nothing, so it notes.

    GRIM (Brown and Heathers) asks the same of means of whole numbers.
    """
    sums = [_sum(result) for result in results]
    known = [total for total in sums if total is not None]
    if len(known) < 2:
        return
    width = max(total.high - total.low for total in known)
    useful = [m for m in _GRIDS if m * width < 1]
    fits = [m for m in useful if all(_on_grid(total, m) for total in known)]
    if fits:
        says = f"coarsest grid of credit that fits all sums of returns: 1/{fits[0]}"
    else:
        says = "no common grid of credit fits all sums of returns"
    says += f"; from 1/{useful[-1] + 1} on none could be excluded" if useful else ""
    yield Check("grid", NOTED, says, results[0].place)


def _sum(result: Result) -> Span | None:
    if isinstance(result.n, Unknown) or not isinstance(result.mean_return, Number):
        return None
    return Span(*(result.n * end for end in result.mean_return.share))


def _on_grid(total: Span, m: int) -> bool:
    return math.ceil(total.low * m - _SLACK) <= math.floor(total.high * m + _SLACK)
