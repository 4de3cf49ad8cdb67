"""One pair of repeats; scipy is the second opinion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, t

from reproof.ground.unknown import Unknown
from reproof.verdict.claims import Span
from reproof.verdict.claims_noise import OnePair, one_pair, p_of_ratio
from tests.verdict.claimed import EARLIER, EP1, result

TWO_SIDED = 2


def the_pair() -> OnePair:
    pair = one_pair(EARLIER, EP1)
    assert isinstance(pair, OnePair)
    return pair


@given(ratio=st.floats(0, 1e6))
def test_p_is_that_of_student_s_t_with_one_degree_of_freedom(ratio: float) -> None:
    assert p_of_ratio(ratio) == pytest.approx(TWO_SIDED * t.sf(ratio, 1), abs=1e-12)


@given(level=st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_the_interval_of_sigma_is_that_of_chi_square(level: float) -> None:
    pair = the_pair()
    sigma, span = pair.sigma, pair.interval(level)
    low, high = chi2.ppf([(1 + level) / 2, (1 - level) / 2], 1)

    assert not isinstance(sigma, Unknown)
    assert not isinstance(span, Unknown)
    assert span == pytest.approx((sigma / low**0.5, sigma / high**0.5), rel=1e-9)


def test_the_published_pair_says_almost_nothing_about_sigma() -> None:
    span = the_pair().interval()

    assert the_pair().sigma == pytest.approx(0.002475, abs=1e-6)
    assert not isinstance(span, Unknown)
    assert (round(span.low, 4), round(span.high, 3)) == (0.0011, 0.079)


@pytest.mark.parametrize(("difference", "p"), [(0.0107, 0.2013), (-0.0036, 0.4910)])
def test_p_values_of_the_epochs(difference: float, p: float) -> None:
    assert the_pair().p(difference) == pytest.approx(p, abs=5e-5)


def test_rounding_of_the_gap_moves_p_a_little() -> None:
    only_the_gap = Span(0.0107, 0.0107)
    found = the_pair().p_range(0.0107, only_the_gap)

    assert not isinstance(found, Unknown)
    assert (round(found.least, 3), round(found.greatest, 3)) == (0.196, 0.207)


def test_two_single_runs_must_differ_by_almost_thirteen_gaps() -> None:
    assert the_pair().critical(0.05) == pytest.approx(0.0445, abs=5e-5)
    assert the_pair().critical(0.05) == pytest.approx(0.0035 * t.ppf(0.975, 1))


def test_equal_repeats_leave_sigma_unknown_instead_of_0() -> None:
    pair = one_pair(EP1, result("again", "0.3758"))

    assert isinstance(pair, OnePair)
    assert isinstance(pair.sigma, Unknown)
    assert isinstance(pair.interval(), Unknown)
    assert isinstance(pair.p(0.01), Unknown)


def test_a_repeat_without_a_mean_gives_no_noise() -> None:
    assert isinstance(one_pair(EP1, result("lost", success=72)), Unknown)
