"""Which counts a rounded share can stand for."""

import math
from typing import NamedTuple

from reproof.verdict.claims import Number, Span

_SLACK = 1e-9
FAR = 1200
"""Beyond this n nearly every share printed with one decimal fits: nothing is learned."""


class Share(NamedTuple):
    """k of n."""

    k: int
    n: int

    @property
    def value(self) -> float:
        """As a fraction."""
        return self.k / self.n


def counts(share: Span, n: int) -> range:
    """Every k for which k/n rounds to the printed share; empty when there is none."""
    least = max(0, math.ceil(n * share.low - _SLACK))
    most = min(n, math.floor(n * share.high + _SLACK))
    return range(least, most + 1)


def nearest(number: Number, n: int) -> Share:
    """The k/n that comes closest to the printed share."""
    low, high = number.share
    middle = (low + high) / 2
    return Share(min(range(n + 1), key=lambda k: abs(k / n - middle)), n)


def common_denominators(numbers: list[Number], least: int = 1, few: int = 4) -> tuple[int, ...]:
    """The smallest n, from `least` on, for which all the shares are k/n; at most `few` of them."""
    found = (n for n in range(least, FAR) if all(counts(number.share, n) for number in numbers))
    return tuple(n for n, _ in zip(found, range(few), strict=False))
