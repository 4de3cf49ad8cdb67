"""Totals, ranks and dominance; the numbers are those of the published card."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.scores.ranking import Totals, best, competition_ranks, decompose, pareto

BASE = Totals(256, 0.2140, 36, 45)
INIT = Totals(256, 0.3656, 67, 62)
EPOCH_1 = Totals(256, 0.3758, 72, 59)
EPOCH_2 = Totals(256, 0.3865, 71, 65)
EPOCH_3 = Totals(256, 0.3829, 71, 65)
CARD = {"base": BASE, "init": INIT, "it68": EPOCH_1, "it137": EPOCH_2, "it206": EPOCH_3}
COST = {"base": 0, "init": 0, "it68": 69, "it137": 138, "it206": 207}


@st.composite
def totals(draw: st.DrawFn) -> Totals:
    """Totals of 100 episodes that some episodes could give."""
    success = draw(st.integers(0, 100))
    partial = draw(st.integers(0, 100 - success))
    credit = draw(st.floats(0.01, 0.99))
    return Totals(100, (success + partial * credit) / 100, success, partial)


@given(before=totals(), after=totals())
def test_the_parts_add_up_to_the_change(before: Totals, after: Totals) -> None:
    parts = decompose(before, after)

    total = 100 * (after.mean_return - before.mean_return)
    assert parts.total == pytest.approx(total, abs=1e-9)
    added = parts.success + parts.partial_count + parts.partial_value
    assert added == pytest.approx(total, abs=1e-9)


@given(before=totals(), after=totals())
def test_going_back_undoes_every_part(before: Totals, after: Totals) -> None:
    there, back = decompose(before, after), decompose(after, before)

    assert there.success == -back.success
    assert there.partial_count == pytest.approx(-back.partial_count, abs=1e-9)
    assert there.partial_value == pytest.approx(-back.partial_value, abs=1e-9)


@given(before=totals(), after=totals())
def test_the_value_part_is_kitagawas(before: Totals, after: Totals) -> None:
    parts = decompose(before, after)
    if before.partial and after.partial:
        credits = [(100 * t.mean_return - t.success) / t.partial for t in (before, after)]
        value = (credits[1] - credits[0]) * (before.partial + after.partial) / 2
        assert parts.partial_value == pytest.approx(value, abs=1e-6)
    else:
        assert parts.partial_value == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (BASE, INIT, (38.81, 31, 7.19, 0.62)),
        (INIT, EPOCH_1, (2.61, 5, -1.26, -1.13)),
        (EPOCH_1, EPOCH_2, (2.74, -1, 2.52, 1.22)),
        (EPOCH_2, EPOCH_3, (-0.92, 0, 0, -0.92)),
    ],
)
def test_the_card_decomposes_as_worked_out_by_hand(
    before: Totals, after: Totals, expected: tuple[float, ...]
) -> None:
    parts = decompose(before, after)

    found = (parts.total, parts.success, parts.partial_count, parts.partial_value)
    assert found == pytest.approx(expected, abs=0.006)


def test_ties_share_a_rank_and_the_next_one_skips() -> None:
    assert competition_ranks([72, 71, 71, 67, 36]) == [1, 2, 2, 4, 5]


def test_rounding_breaks_no_tie() -> None:
    assert competition_ranks([0.1 + 0.2, 0.3]) == [1, 1]
    assert best({"a": 0.1 + 0.2, "b": 0.3, "c": 0.2}) == ("a", "b")


def test_the_cards_two_metrics_pick_different_epochs() -> None:
    assert best({name: t.mean_return for name, t in CARD.items()}) == ("it137",)
    assert best({name: float(t.success) for name, t in CARD.items()}) == ("it68",)


def test_the_cards_pareto_set_without_and_with_cost() -> None:
    merits = {name: (t.mean_return, t.success) for name, t in CARD.items()}
    with_cost = {name: (*point, -COST[name]) for name, point in merits.items()}

    assert pareto(merits) == ("it68", "it137")
    assert pareto(with_cost) == ("init", "it68", "it137")


@given(
    points=st.dictionaries(
        st.text(min_size=1), st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1
    )
)
def test_somebody_is_always_unbeaten_and_equals_stay_together(
    points: dict[str, tuple[int, int]],
) -> None:
    kept = pareto(points)

    assert kept
    unbeaten = {points[name] for name in kept}
    assert kept == tuple(name for name, point in points.items() if point in unbeaten)
