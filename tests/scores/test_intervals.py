"""Intervals: laws first, then other people's numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.scores.stats import Interval, mean_interval, paired_interval, rate_interval

CREDITS = st.sampled_from([0.0, 0.125, 0.25, 0.5, 1.0])
DIFFERENCES = st.lists(st.builds(lambda a, b: a - b, CREDITS, CREDITS), min_size=1, max_size=40)


@given(values=DIFFERENCES)
def test_intervals_hold_the_mean_and_stay_in_range(values: list[float]) -> None:
    low, high = paired_interval(values, 0.95)

    assert -1 <= low <= high <= 1
    assert paired_interval(values, 0.9).width <= high - low


@given(values=DIFFERENCES)
def test_clusters_never_narrow_an_interval(values: list[float]) -> None:
    goals = [str(i // 4) for i in range(len(values))]

    assert paired_interval(values, 0.95, goals).width >= paired_interval(values).width - 1e-12


@pytest.mark.parametrize(
    ("n", "level", "half"), [(256, 0.9, 0.0064), (256, 0.95, 0.0076), (1, 0.9, 0.548)]
)
def test_identical_runs_have_an_interval_that_is_not_nothing(
    n: int, level: float, half: float
) -> None:
    assert paired_interval([0.0] * n, level) == pytest.approx((-half, half), abs=5e-4)


@given(b=st.integers(0, 30), c=st.integers(0, 30), same=st.integers(1, 60))
def test_on_successes_the_paired_interval_is_agresti_and_mins(b: int, c: int, same: int) -> None:
    """Their formula: half a task added to each of the four cells."""
    n = b + c + same + 2
    rate = (c - b) / n
    half = 1.959964 / n * math.sqrt(b + c + 1 - (c - b) ** 2 / n)

    low, high = paired_interval([-1.0] * b + [1.0] * c + [0.0] * same)

    assert (low, high) == pytest.approx((max(-1, rate - half), min(1, rate + half)), abs=1e-6)


@given(k=st.integers(0, 40), extra=st.integers(1, 40))
def test_rates_have_wilsons_interval_and_means_of_0_and_1_agresti_and_coulls(
    k: int, extra: int
) -> None:
    from statsmodels.stats.proportion import proportion_confint

    n = k + extra
    wilson = proportion_confint(k, n, method="wilson")
    coull = proportion_confint(k, n, method="agresti_coull")

    assert rate_interval([True] * k + [False] * extra) == pytest.approx(wilson, abs=1e-9)
    clipped = (max(0.0, coull[0]), min(1.0, coull[1]))
    assert mean_interval([1.0] * k + [0.0] * extra) == pytest.approx(clipped, abs=1e-9)


def test_the_cluster_interval_is_the_cluster_robust_one_of_statsmodels() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(5)
    goals = np.repeat(np.arange(12), 6)
    values = np.clip(np.repeat(rng.normal(0.2, 0.3, 12), 6) + rng.normal(0, 0.05, 72), -1, 1)
    fit = sm.OLS(values, np.ones(72)).fit(
        cov_type="cluster", cov_kwds={"groups": goals, "df_correction": False}, use_t=True
    )
    half = 2.200985 * float(fit.bse[0])  # t with 11 degrees of freedom

    low, high = paired_interval(values, 0.95, goals.tolist())

    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=1e-6)
    assert high - low > 2 * paired_interval(values).width


def test_one_cluster_has_no_spread_of_its_own() -> None:
    assert paired_interval([0.5, 0.5], 0.95, ["a", "a"]) == paired_interval([0.5, 0.5])


def test_the_width_goes_from_end_to_end() -> None:
    assert Interval(0.25, 0.75).width == 0.5
