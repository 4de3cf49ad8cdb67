import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.verdict.claims import Number, Span
from reproof.verdict.claims_percent import common_denominators, counts, nearest
from tests.verdict.claimed import PLACE, number


@given(n=st.integers(1, 2000), data=st.data(), decimals=st.integers(0, 3))
def test_the_count_behind_a_rounded_percentage_is_always_among_those_found(
    n: int, data: st.DataObject, decimals: int
) -> None:
    k = data.draw(st.integers(0, n))
    printed = Number(f"{100 * k / n:.{decimals}f}", PLACE, is_percent=True)

    assert k in counts(printed.share, n)


@given(n=st.integers(1, 300), tenths=st.integers(0, 1000))
def test_no_other_count_rounds_to_the_printed_percentage(n: int, tenths: int) -> None:
    printed = Number(f"{tenths / 10:.1f}", PLACE, is_percent=True)
    every = [k for k in range(n + 1) if abs(100 * k / n - tenths / 10) <= 0.05 + 1e-9]

    assert list(counts(printed.share, n)) == every


def test_67_of_256_is_26_17_percent_and_nothing_else_is() -> None:
    assert list(counts(number("26.17", is_percent=True).share, 256)) == [67]


@pytest.mark.parametrize(("text", "k", "shown"), [("36.3", 25, "36.2"), ("28.4", 20, "29.0")])
def test_the_card_s_shares_are_no_k_of_69_steps(text: str, k: int, shown: str) -> None:
    share = number(text, is_percent=True)

    assert not counts(share.share, 69)
    assert nearest(share, 69) == (k, 69)
    assert f"{100 * nearest(share, 69).value:.1f}" == shown


def test_the_smallest_n_that_fit_both_shares() -> None:
    both = [number("36.3", is_percent=True), number("28.4", is_percent=True)]

    assert common_denominators(both) == (102, 190, 201, 204)


def test_a_percentage_above_all_counts_fits_none() -> None:
    assert not counts(Span(1.01, 1.02), 10)
