"""What one pair of repeats says about noise: little, and exactly how little.

With two runs there is one degree of freedom. Student's t with 1 df is Cauchy's
distribution and chi-square with 1 df the square of a normal one, so no library is needed.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

from reproof.ground.unknown import Unknown
from reproof.verdict.claims import Number, Result, Span, is_close

_EQUAL = Unknown("both runs print the same number, which is no evidence that noise is 0")


class PRange(NamedTuple):
    """A p-value, and its range over everything the printed numbers can stand for."""

    p: float
    least: float
    greatest: float


@dataclass(frozen=True, slots=True)
class OnePair:
    """Two runs that are said to be repeats of one thing, and their distance."""

    first: Result
    second: Result
    gap: float
    gap_span: Span

    @property
    def sigma(self) -> float | Unknown:
        """Standard deviation of one run's mean; unknown, not 0, when both runs agree."""
        return _EQUAL if is_close(self.gap, 0) else self.gap / math.sqrt(2)

    def interval(self, level: float = 0.95) -> Span | Unknown:
        """Confidence interval of sigma."""
        sigma = self.sigma
        if isinstance(sigma, Unknown):
            return sigma
        return Span(sigma / _chi((1 + level) / 2), sigma / _chi((1 - level) / 2))

    def p(self, difference: float) -> float | Unknown:
        """Two-sided p of a difference of two single runs, by t with 1 df."""
        return _EQUAL if is_close(self.gap, 0) else p_of_ratio(abs(difference) / self.gap)

    def p_range(self, difference: float, span: Span) -> PRange | Unknown:
        """The same with rounding: `span` holds every value the difference can have."""
        middle = self.p(difference)
        if isinstance(middle, Unknown):
            return middle
        sizes = _sizes(span)
        low, high = self.gap_span
        greatest = 1.0 if high <= 0 else p_of_ratio(sizes.low / high)
        return PRange(middle, p_of_ratio(sizes.high / low) if low > 0 else 0.0, greatest)

    def critical(self, alpha: float) -> float:
        """A difference of two single runs must exceed this to be told from noise."""
        return self.gap * math.tan(math.pi / 2 * (1 - alpha))


def one_pair(first: Result, second: Result) -> OnePair | Unknown:
    """The noise that two mean returns allow to estimate."""
    ours, theirs = first.mean_return, second.mean_return
    if not isinstance(ours, Number) or not isinstance(theirs, Number):
        return Unknown("a repeat has no mean_return")
    return OnePair(
        first, second, abs(ours.value - theirs.value), _sizes(ours.span.minus(theirs.span))
    )


def p_of_ratio(ratio: float) -> float:
    """P(|t| >= ratio) with one degree of freedom."""
    return 1 - 2 / math.pi * math.atan(ratio)


def _chi(level: float) -> float:
    """Square root of the quantile of chi-square with 1 df."""
    return NormalDist().inv_cdf((1 + level) / 2)


def _sizes(span: Span) -> Span:
    """Sizes of the differences in a span, without their signs."""
    ends = sorted((abs(span.low), abs(span.high)))
    return Span(0.0 if span.low <= 0 <= span.high else ends[0], ends[1])
