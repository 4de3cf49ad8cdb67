"""Order models by their totals alone: ranks, what a gain is made of, who dominates whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

TIE = 1e-9
"""Two means so close are equal; summing in another order can give as much."""


class Totals(NamedTuple):
    """What a published table gives of one model: `n` episodes, their mean and two counts."""

    n: int
    mean_return: float
    success: int
    partial: int


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A change of the summed return in units of whole tasks, and its three parts.

    `success`: more or fewer tasks solved; `partial_count`: more or fewer
    tasks solved in part; `partial_value`: more or less credit for each of those.
    The parts add up to `total`.
    """

    total: float
    success: float
    partial_count: float
    partial_value: float


def decompose(before: Totals, after: Totals) -> Decomposition:
    """Split the change from `before` to `after`; both must have the same n.

    Kitagawa's split: counts change at the average credit, credit at the
    average count. A side without partials has no credit of its own and takes
    the other's, so that the whole change is one of count.
    """
    total = after.n * after.mean_return - before.n * before.mean_return
    success = after.success - before.success
    credits = [
        (side.n * side.mean_return - side.success) / side.partial
        for side in (before, after)
        if side.partial
    ]
    average = sum(credits) / len(credits) if credits else 0.0
    count = (after.partial - before.partial) * average
    return Decomposition(total, float(success), count, total - success - count)


def competition_ranks(values: Sequence[float]) -> list[int]:
    """1 for the highest; equal values share a rank and the next one skips, as in 1, 2, 2, 4."""
    return [1 + sum(other > value + TIE for other in values) for value in values]


def best(values: Mapping[str, float]) -> tuple[str, ...]:
    """The names with the highest value: more than one when they tie."""
    highest = max(values.values())
    return tuple(name for name, value in values.items() if value >= highest - TIE)


def pareto(points: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """The names that no other beats: nowhere worse and somewhere better. More is better."""
    return tuple(
        name
        for name, point in points.items()
        if not any(_dominates(other, point) for other in points.values())
    )


def _dominates(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    pairs = list(zip(ours, theirs, strict=True))
    return all(a >= b - TIE for a, b in pairs) and any(a > b + TIE for a, b in pairs)
