"""Paired tests and intervals for returns in [0, 1], right also when hardly any task differs.

The unit of evidence is a cluster (a whole goal with all its variants) where
clusters are given, else one task. Derivations and error rates: the sign-flip
test holds its level without any estimate of noise, because the differences
themselves carry it.

McNemar, Wilson and Holm are written out, because importing scipy.stats or
statsmodels takes seconds, which every command would pay; the tests compare
them with those libraries.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reproof.ground.errors import InputError

Floats = NDArray[np.float64]

EXACT_UP_TO = 16
"""With so many units that differ, all 2^16 sign patterns are tried."""

_TIE = 1e-9
_BITS_AT_ONCE = 1 << 22


class Interval(NamedTuple):
    """Both ends of a confidence interval."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """From end to end."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A two-sided p-value; `draws` is None when every sign pattern was tried.

    `units` counts the independent units, `differing` those with a difference.
    """

    p: float
    units: int
    differing: int
    draws: int | None

    @property
    def least_p(self) -> float:
        """No data with so many units can give a smaller p: over alpha, nothing is testable."""
        exact = 2.0 ** (1 - self.units)
        return exact if self.draws is None else max(exact, 1 / (1 + self.draws))


def sign_flip(
    differences: Sequence[float] | Floats,
    draws: int,
    rng: np.random.Generator,
    clusters: Sequence[Hashable] | None = None,
) -> SignFlip:
    """Could the mean difference be 0? Flip the sign of each unit and see how extreme it is.

    The result depends on neither the order of the tasks nor which side is
    called ours, and units without a difference do not change it.
    """
    sums = _unit_sums(_checked(differences), clusters)
    # only sizes matter under the null, and sorting makes the draws independent of the order
    sizes = np.sort(np.abs(sums[np.abs(sums) > _TIE]))
    observed = abs(math.fsum(sums)) - _TIE
    if len(sizes) <= EXACT_UP_TO:
        patterns = np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes))
        hits = int((_flipped(patterns & 1, sizes) >= observed).sum())
        return SignFlip(hits / len(patterns), len(sums), len(sizes), None)
    hits = _random_hits(sizes, observed, draws, rng)
    return SignFlip((1 + hits) / (1 + draws), len(sums), len(sizes), draws)


def paired_interval(
    differences: Sequence[float] | Floats,
    level: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
) -> Interval:
    """Agresti and Min's adjusted interval, for returns instead of 0 and 1.

    One pseudo-task won and one lost by half keep it from shrinking to nothing
    when no task differs. With clusters: the wider of it and the cluster interval.
    """
    values = _checked(differences)
    adjusted = _with_pseudo(values, total=0.0, squares=1.0, count=2.0, level=level)
    return _wider(adjusted, _cluster_interval(values, clusters, level), -1.0, 1.0)


def mean_interval(
    returns: Sequence[float] | Floats,
    level: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
) -> Interval:
    """Interval of one mean return: Agresti and Coull's, which for 0 and 1 it is exactly."""
    values = _checked(returns)
    extra = _z(level) ** 2
    adjusted = _with_pseudo(values, total=extra / 2, squares=extra / 2, count=extra, level=level)
    return _wider(adjusted, _cluster_interval(values, clusters, level), 0.0, 1.0)


def rate_interval(
    successes: Sequence[bool],
    level: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
) -> Interval:
    """Wilson's interval of a success rate; with clusters, the wider of it and theirs."""
    values = _checked([float(success) for success in successes])
    n, rate, extra = len(values), sum(successes) / len(values), _z(level) ** 2
    middle = (rate + extra / (2 * n)) / (1 + extra / n)
    half = math.sqrt(extra * rate * (1 - rate) / n + (extra / (2 * n)) ** 2) / (1 + extra / n)
    wilson = Interval(middle - half, middle + half)
    return _wider(wilson, _cluster_interval(values, clusters, level), 0.0, 1.0)


class McNemar(NamedTuple):
    """Two-sided p-values: `exact` never exceeds its level, `mid` is less timid."""

    exact: float
    mid: float


def mcnemar(lost: int, gained: int) -> McNemar:
    """Did successes change more one way than the other? Only the tasks that flipped count."""
    flips, fewer = lost + gained, min(lost, gained)
    ways = 1  # to flip tasks so that `k` of them go the rarer way
    tail = 0
    for k in range(fewer + 1):
        tail += ways
        last, ways = ways, ways * (flips - k) // (k + 1)
    # whole numbers up to here: no rounding, however small p is
    return McNemar(min(1.0, 2 * tail / 2**flips), min(1.0, (2 * tail - last) / 2**flips))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given."""
    _checked(p_values or [0.0])
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, p_values[i] * (len(p_values) - rank)))
        adjusted[i] = highest
    return adjusted


def _checked(values: Sequence[float] | Floats) -> Floats:
    """NaN compares as false with everything, so one of them would give the smallest p."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise InputError("statistics", "there are no values", "give at least one task")
    if not np.isfinite(array).all():
        raise InputError("statistics", "a value is not finite", "mend the episodes")
    return array


def _unit_sums(values: Floats, clusters: Sequence[Hashable] | None) -> Floats:
    if clusters is None:
        return values
    if len(clusters) != len(values):
        raise InputError("statistics", "values and clusters differ in number", "give one each")
    parts: dict[Hashable, list[float]] = {}
    for cluster, value in zip(clusters, values.tolist(), strict=True):
        parts.setdefault(cluster, []).append(value)
    # fsum rounds once, whatever the order
    return np.array([math.fsum(part) for part in parts.values()])


def _flipped(bits: NDArray[np.integer], sizes: Floats) -> Floats:
    """Size of the total for each row of sign bits."""
    totals: Floats = np.abs(2 * (bits.astype(np.float64) @ sizes) - sizes.sum())
    return totals


def _random_hits(sizes: Floats, observed: float, draws: int, rng: np.random.Generator) -> int:
    """Draws at least as extreme, a bounded block of sign bits at a time."""
    rows = max(1, _BITS_AT_ONCE // len(sizes))
    hits = 0
    for start in range(0, draws, rows):
        shape = (min(rows, draws - start), len(sizes))
        needed = math.prod(shape)
        raw = np.frombuffer(rng.bytes(-(-needed // 8)), dtype=np.uint8)
        bits = np.unpackbits(raw, count=needed).reshape(shape)
        hits += int((_flipped(bits, sizes) >= observed).sum())
    return hits


def _with_pseudo(
    values: Floats, total: float, squares: float, count: float, level: float
) -> Interval:
    n = len(values) + count
    mean = (math.fsum(values) + total) / n
    variance = max(0.0, (math.fsum(values**2) + squares) / n - mean**2)
    half = _z(level) * math.sqrt(variance / n)
    return Interval(mean - half, mean + half)


def _cluster_interval(
    values: Floats, clusters: Sequence[Hashable] | None, level: float
) -> Interval | None:
    """Student's t over cluster totals (CR1); None without clusters, or with only one."""
    if clusters is None:
        return None
    mean = math.fsum(values) / len(values)
    totals = _unit_sums(values - mean, clusters)
    if len(totals) < 2:
        return None
    from scipy.special import stdtrit

    spread = math.sqrt(len(totals) / (len(totals) - 1) * math.fsum(totals**2)) / len(values)
    half = float(stdtrit(len(totals) - 1, (1 + level) / 2)) * spread
    return Interval(mean - half, mean + half)


def _wider(first: Interval, second: Interval | None, least: float, most: float) -> Interval:
    """Clusters can only take evidence away, so the narrower one would promise too much."""
    low, high = first if second is None or first.width >= second.width else second
    return Interval(max(low, least), min(high, most))


def _z(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)
