"""McNemar's test and Holm's correction, held against the libraries that have them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.errors import InputError
from reproof.scores.stats import holm, mcnemar


@given(b=st.integers(0, 60), c=st.integers(0, 60))
def test_mcnemar_agrees_with_scipy_and_mid_p_is_never_larger(b: int, c: int) -> None:
    from scipy.stats import binom, binomtest

    exact, mid = mcnemar(b, c)
    fewer, flips = min(b, c), b + c

    if flips:
        assert exact == pytest.approx(binomtest(b, flips).pvalue)
        half_tail = 2 * binom.cdf(fewer, flips, 0.5) - binom.pmf(fewer, flips, 0.5)
        assert mid == pytest.approx(min(1, half_tail))
    assert mid <= exact
    assert mcnemar(c, b) == (exact, mid)


def test_mcnemar_without_flips_is_certain_of_nothing() -> None:
    assert mcnemar(0, 0) == (1.0, 1.0)


def test_mcnemar_of_five_to_nothing() -> None:
    assert mcnemar(0, 5) == (0.0625, 0.03125)


@given(ps=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_agrees_with_statsmodels(ps: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1])


def test_holm_of_nothing_is_nothing() -> None:
    assert holm([]) == []


def test_a_nan_is_no_hypothesis() -> None:
    with pytest.raises(InputError):
        holm([0.01, math.nan])
