"""How much two runs of the same thing differ, and what follows for one comparison."""

import math
from dataclasses import dataclass
from statistics import NormalDist

from reproof.ground.unknown import Unknown
from reproof.verdict.verdict import Noise, Tolerance

ASSUMED_SIGMA = 0.0098
ASSUMED_SOURCE = (
    "assumed: 80 % upper limit from one published pair of repeats, .3758 and .3793 (1 df); "
    "no repeats of this recipe were measured"
)
PUBLISHED_PAIR = (0.3758, 0.3793)

LEVEL = 0.90
_POWER = 0.80
_LEAST_SUCCESS = 7
"""The least difference in successes at which the exact McNemar test can reach .025."""


@dataclass(frozen=True, slots=True)
class MeasuredNoise:
    """What repeats gave; `recipe` is the inputs_id they share. Usable from `df` 2 on."""

    sigma: float
    df: float
    recipe: str
    source: str


def z(level: float) -> float:
    """Quantile of the standard normal distribution."""
    return NormalDist().inv_cdf(level)


def reference_noise(measured: MeasuredNoise | None, inputs_id: str | Unknown) -> Noise:
    """Measured noise if it is of the same recipe and of two degrees of freedom, else assumed."""
    if measured is not None and measured.df >= 2 and measured.recipe == inputs_id:
        return Noise(measured.sigma, measured.df, measured.source)
    return Noise(ASSUMED_SIGMA, None, ASSUMED_SOURCE)


def critical_mean(sigma: float, alpha: float) -> float:
    """A difference of two single runs beyond this is drift; half of alpha for each metric."""
    return z(1 - alpha / 4) * math.sqrt(2) * sigma


def critical_success(sigma: float, alpha: float, n: int) -> int:
    """The same in successes."""
    return max(_LEAST_SUCCESS, math.floor(n * critical_mean(sigma, alpha)) + 1)


def smallest_detectable(error: float, threshold: float) -> float:
    """True difference that exceeds `threshold` with 80 % probability at standard error `error`."""
    return threshold + z(_POWER) * error


def runs_needed(error: float, tolerance: Tolerance) -> int:
    """Runs a side for an 80 % chance that the interval lies inside the tolerance.

    `error` is the standard error of one run against one, if nothing changed.
    """
    span = z((1 + LEVEL) / 2) + z((1 + _POWER) / 2)
    return max(1, math.ceil((error * span / tolerance.mean) ** 2))
