"""What two published rows allow to be said without their per-task results.

The pairing of the tasks is not known, so every table that fits the counts is
considered: what holds for all of them holds.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

from reproof.ground.errors import InputError
from reproof.scores.stats import mcnemar


class Range(NamedTuple):
    """Least and greatest p-value over every pairing of the tasks."""

    least: float
    greatest: float

    def says(self, alpha: float) -> str:
        """`significant`, `not significant`, each under any pairing, or `needs per-task data`."""
        if self.greatest < alpha:
            return "significant"
        return "not significant" if self.least > alpha else "needs per-task data"


def success_p_range(n: int, ours: int, theirs: int) -> Range:
    """Exact McNemar p for two success counts over the same n tasks.

    The more tasks both solved, the fewer flipped and the smaller is p, so the
    two extreme tables give the ends.
    """
    if n < 1 or not 0 <= min(ours, theirs) <= max(ours, theirs) <= n:
        rule = f"{ours} and {theirs} of {n} are no success counts"
        raise InputError("published row", rule, "check the counts")
    most, fewest = min(ours, theirs), max(0, ours + theirs - n)
    ends = (mcnemar(ours - both, theirs - both).exact for both in (most, fewest))
    return Range(*ends)


def greatest_mean_p(n: int, ours: float, theirs: float) -> float:
    """Two-sided p of a difference of two mean returns under the worst pairing.

    Returns lie in [0, 1], which bounds the variance of the paired differences.
    Normal approximation: for n in the hundreds. The least p is about 0, which
    helps nobody.
    """
    if n < 1 or not (0 <= ours <= 1 and 0 <= theirs <= 1):
        rule = f"{ours} and {theirs} over {n} tasks are no mean returns"
        raise InputError("published row", rule, "check that they lie in [0, 1]")
    difference = theirs - ours
    variance = ours + theirs - 2 * max(0.0, ours + theirs - 1) - difference**2
    if variance <= 0:  # every task is alike: no difference at all, or the greatest there is
        return 1.0 if difference == 0 else 2.0 ** (1 - n)
    z = abs(difference) / math.sqrt(variance / n)
    # no test that flips signs can give less with n tasks
    return max(2 * NormalDist().cdf(-z), 2.0 ** (1 - n))
