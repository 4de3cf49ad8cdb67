import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.unknown import Unknown
from reproof.verdict.claims import (
    ChangeSaid,
    CheckpointSaid,
    PercentSaid,
    ReductionSaid,
    ScoreSaid,
    WithinSaid,
)
from reproof.verdict.claims_rows import AGREES, CONTRADICTS, DOUBTFUL, NOTED, Check
from reproof.verdict.claims_statements import check_statements, steps_per_epoch
from tests.verdict.claimed import EP1, EP2, PLACE, card, number

DEDUP = ReductionSaid(number("336"), number("276"), "pairs")


def ends(*iterations: int) -> tuple[CheckpointSaid, ...]:
    return tuple(CheckpointSaid(i, epoch, PLACE) for epoch, i in enumerate(iterations, start=1))


def checks(**parts: object) -> list[Check]:
    return list(check_statements(card(**parts), (EP1, EP2)))


def change(metric: str, before: str, after: str, delta: str) -> list[Check]:
    said = ChangeSaid(metric, number(before), number(after), number(delta))
    return checks(changes=(said,))


@given(before=st.integers(0, 9999), after=st.integers(0, 9999), decimals=st.integers(1, 4))
def test_a_rounded_difference_of_rounded_numbers_is_never_contradicted(
    before: int, after: int, decimals: int
) -> None:
    delta = f"{(after - before) / 1e4:+.{decimals}f}"
    said = ChangeSaid("x", number(f"{before / 1e4:.4f}"), number(f"{after / 1e4:.4f}"),
                      number(delta))  # fmt: skip

    assert [check.outcome for check in checks(changes=(said,))] == [AGREES]


def test_the_change_on_the_card_agrees_and_stands_in_the_table() -> None:
    assert [check.outcome for check in change("mean_return", "0.3758", "0.3865", "+0.011")] == [
        AGREES
    ]


def test_a_wrong_difference_is_contradicted() -> None:
    (check,) = change("mean_return", "0.3758", "0.3865", "+0.013")

    assert check.outcome == CONTRADICTS
    assert check.says == "mean_return: 0.3758 -> 0.3865 is +0.0107, printed +0.013"


def test_counts_are_not_rounded() -> None:
    (check,) = change("success", "72", "71", "-2")

    assert check.outcome == CONTRADICTS


def test_a_number_that_stands_in_no_table_is_contradicted() -> None:
    found = change("success", "72", "70", "-2")

    assert [(check.kind, check.outcome) for check in found] == [
        ("change", AGREES),
        ("quotation", CONTRADICTS),
    ]


@pytest.mark.parametrize(("within", "outcome"), [("0.0035", AGREES), ("0.0030", CONTRADICTS)])
def test_a_distance_of_repeats_is_computed_again(within: str, outcome: str) -> None:
    first = ScoreSaid(number("0.3793"), number("72"))
    second = ScoreSaid(number("0.3758"), number("72"))
    said = WithinSaid(first, second, number(within), says_same_count=True)

    assert [check.outcome for check in checks(withins=(said,))] == [outcome, AGREES]


def test_a_count_said_to_be_the_same_must_be() -> None:
    first = ScoreSaid(number("0.3793"), number("73"))
    second = ScoreSaid(number("0.3758"), number("72"))
    said = WithinSaid(first, second, number("0.0035"), says_same_count=True)

    assert checks(withins=(said,))[1].outcome == CONTRADICTS


def test_60_of_336_pairs_are_about_18_percent() -> None:
    said = PercentSaid(number("18", is_percent=True), "~18% exact-duplicate pairs")
    (check,) = checks(reductions=(DEDUP,), percents=(said,))

    assert check.outcome == AGREES
    assert check.says == "336 to 276 pairs drops 17.86 %, printed 18 %"


def test_another_share_of_duplicates_is_contradicted() -> None:
    said = PercentSaid(number("22", is_percent=True), "22% duplicate pairs")

    assert checks(reductions=(DEDUP,), percents=(said,))[0].outcome == CONTRADICTS


def test_276_pairs_make_69_steps_of_4_and_the_ids_count_from_0() -> None:
    found = checks(checkpoints=ends(68, 137, 206), reductions=(DEDUP,))
    steps = [check for check in found if check.kind == "step"]

    assert [check.outcome for check in steps] == [AGREES, AGREES]
    assert steps[0].says == "68, 137, 206 are the ends of epochs of 69 steps, counted from 0"
    assert "276 pairs / 4 = 69: 69 steps an epoch; the raw 336 would give 84" in steps[1].says


@given(steps=st.integers(2, 500), epochs=st.integers(2, 6), start=st.sampled_from([0, 1]))
def test_ids_that_end_equal_epochs_are_recognised(steps: int, epochs: int, start: int) -> None:
    ids = [steps * epoch - 1 + start for epoch in range(1, epochs + 1)]

    assert steps_per_epoch(ends(*ids)) == (steps, start)


@pytest.mark.parametrize("ids", [(88, 176, 261), (68, 140, 206), (68, 137, 210)])
def test_ids_that_fit_no_equal_epochs_are_contradicted(ids: tuple[int, ...]) -> None:
    found = checks(checkpoints=ends(*ids))

    assert [check.outcome for check in found] == [CONTRADICTS]
    assert ", ".join(map(str, ids)) in found[0].says


def test_pairs_that_give_no_such_number_of_steps_are_contradicted() -> None:
    wrong = ReductionSaid(number("336"), number("100"), "pairs")
    found = checks(checkpoints=ends(68, 137, 206), reductions=(wrong,))

    assert [check.outcome for check in found if check.kind == "step"] == [AGREES, CONTRADICTS]


def test_one_checkpoint_says_nothing_about_steps() -> None:
    assert checks(checkpoints=ends(68)) == []
    assert isinstance(steps_per_epoch(ends(68)), Unknown)


def test_shares_of_steps_that_cannot_be_are_doubtful_as_the_unit_is_not_stated() -> None:
    about = "epoch-3 saturated steps 36.3% vs 28.4%"
    said = tuple(PercentSaid(number(text, is_percent=True), about) for text in ("36.3", "28.4"))
    found = [
        check
        for check in checks(checkpoints=ends(68, 137, 206), percents=said)
        if check.kind == "share"
    ]

    assert [check.outcome for check in found] == [DOUBTFUL, DOUBTFUL, NOTED]
    assert "no k/69 rounds to 36.3 %; nearest 25/69 = 36.2 %" in found[0].says
    assert "no k/69 rounds to 28.4 %; nearest 20/69 = 29.0 %" in found[1].says
    assert found[2].says.endswith("smallest 102, 190, 201, 204")
