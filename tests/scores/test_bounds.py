"""Bounds without per-task results; the numbers are those worked out for the published card."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.errors import InputError
from reproof.scores.bounds import Range, greatest_mean_p, success_p_range
from reproof.scores.stats import mcnemar


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int]:
    """n and two success counts."""
    n = draw(st.integers(1, 40))
    return n, draw(st.integers(0, n)), draw(st.integers(0, n))


@given(case=counts())
def test_no_pairing_leaves_the_range_and_both_ends_are_reached(
    case: tuple[int, int, int],
) -> None:
    n, ours, theirs = case
    every = [
        mcnemar(ours - both, theirs - both).exact
        for both in range(max(0, ours + theirs - n), min(ours, theirs) + 1)
    ]

    assert success_p_range(n, ours, theirs) == (min(every), max(every))
    assert success_p_range(n, theirs, ours) == (min(every), max(every))


@pytest.mark.parametrize(
    ("ours", "theirs", "least", "greatest"),
    [
        (36, 67, 9.3e-10, 0.0029),
        (36, 72, 2.9e-11, 0.0007),
        (67, 72, 0.0625, 0.735),
        (67, 71, 0.125, 0.799),
        (72, 71, 1, 1),
        (71, 71, 1, 1),
    ],
)
def test_the_success_counts_of_the_card(
    ours: int, theirs: int, least: float, greatest: float
) -> None:
    found = success_p_range(256, ours, theirs)

    assert found.least == pytest.approx(least, rel=0.01)
    assert found.greatest == pytest.approx(greatest, abs=5e-4)


@pytest.mark.parametrize(
    ("ours", "theirs", "p"),
    [
        (0.2140, 0.3656, 0.0012),
        (0.2140, 0.3758, 0.0006),
        (0.3656, 0.3758, 0.85),
        (0.3656, 0.3865, 0.70),
        (0.3758, 0.3865, 0.85),
        (0.3865, 0.3829, 0.95),
    ],
)
def test_the_means_of_the_card(ours: float, theirs: float, p: float) -> None:
    assert greatest_mean_p(256, ours, theirs) == pytest.approx(p, abs=0.006 if p > 0.1 else 6e-5)


def test_ranges_say_what_holds_under_any_pairing() -> None:
    assert success_p_range(256, 36, 67).says(0.05) == "significant"
    assert success_p_range(256, 72, 71).says(0.05) == "not significant"
    assert Range(0.01, 0.7).says(0.05) == "needs per-task data"


def test_certain_means_need_no_division() -> None:
    assert greatest_mean_p(10, 0, 0) == greatest_mean_p(10, 1, 1) == 1
    assert greatest_mean_p(10, 0, 1) == greatest_mean_p(10, 1, 0) == 2**-9


def test_one_task_proves_nothing() -> None:
    assert greatest_mean_p(1, 0, 1) == greatest_mean_p(1, 1, 0) == 1


@pytest.mark.parametrize("bad", [(0, 0, 0), (10, 11, 0), (10, 0, -1)])
def test_counts_that_cannot_be_are_refused(bad: tuple[int, int, int]) -> None:
    with pytest.raises(InputError):
        success_p_range(*bad)


@pytest.mark.parametrize("bad", [(0, 0.5, 0.5), (10, 37.93, 0.5), (10, math.nan, 0.5)])
def test_means_that_cannot_be_are_refused(bad: tuple[int, float, float]) -> None:
    with pytest.raises(InputError):
        greatest_mean_p(*bad)
