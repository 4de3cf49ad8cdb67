"""Judge two runs of which only the totals are known. Noise must then be measured or assumed."""

import math
from statistics import NormalDist

from reproof.ground.unknown import Unknown
from reproof.scores.stats import Interval
from reproof.verdict import noise
from reproof.verdict.side import Side
from reproof.verdict.verdict import Noise, Numbers, Outcome, Tolerance

_EDGE = 1e-9


def measure(
    ours: Side, theirs: Side, sigma: float, reference: Noise, tolerance: Tolerance
) -> Numbers:
    """Every number of the comparison, under a standard deviation of single runs."""
    error = math.sqrt(2) * sigma
    # + 0.0: no -0.0
    difference = ours.mean_return - theirs.mean_return + 0.0
    half = noise.z((1 + noise.LEVEL) / 2) * error
    critical = noise.critical_mean(sigma, tolerance.alpha)
    return Numbers(
        n=ours.n,
        mean_ours=ours.mean_return,
        mean_theirs=theirs.mean_return,
        difference=difference,
        difference_tasks=difference * ours.n,
        success_ours=ours.success,
        success_theirs=theirs.success,
        success_difference=ours.success - theirs.success,
        interval=Interval(difference - half, difference + half),
        p=_two_sided(difference, error),
        p_method="normal, under the noise below",
        least_p=None,
        flips=Unknown("only totals are known; flips need the results of single tasks"),
        critical_mean=critical,
        critical_success=noise.critical_success(sigma, tolerance.alpha, ours.n),
        noise=reference,
        smallest_detectable=noise.smallest_detectable(error, max(critical, tolerance.mean)),
        runs_needed=noise.runs_needed(error, tolerance),
    )


def rule(numbers: Numbers, tolerance: Tolerance) -> Outcome:
    """Without noise measured on repeats, nothing is ever proven to be the same."""
    size, successes = abs(numbers.difference), abs(numbers.success_difference)
    limit = max(numbers.critical_mean or 0.0, tolerance.mean)
    if size > limit + _EDGE or successes >= _success_limit(numbers, tolerance):
        return "drifted"
    if size > tolerance.mean + _EDGE or successes > tolerance.success:
        return "inconclusive"
    reach = numbers.interval.width / 2
    is_proven = numbers.noise.df is not None and size + reach < tolerance.mean
    return "reproduced" if is_proven else "consistent"


def _success_limit(numbers: Numbers, tolerance: Tolerance) -> int:
    return max(numbers.critical_success or 0, tolerance.success + 1)


def _two_sided(difference: float, error: float) -> float:
    """A measured standard deviation of 0 would leave no doubt at all; it is refused earlier."""
    return 2 * (1 - NormalDist().cdf(abs(difference) / error))
