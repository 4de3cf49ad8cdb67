"""The audit table of the published card; its numbers were computed by hand."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reproof.ground.unknown import Unknown
from reproof.scores.ranking import Decomposition
from reproof.verdict.claims import Result
from reproof.verdict.claims_rows import (
    AGREES,
    CONTRADICTS,
    NOTED,
    RowAudit,
    audit_row,
    check_grid,
    check_row,
    split,
)
from tests.verdict.claimed import BASE, EARLIER, EP1, EP2, EP3, INIT, result


@pytest.mark.parametrize(
    ("row", "total", "solved", "touched", "partial", "credit", "low", "high", "zeros", "share"),
    [
        (BASE, 54.784, 0.1406, 0.3164, 18.784, 0.4174, 0.4171, 0.4177, 175, 0.34),
        (INIT, 93.594, 0.2617, 0.5039, 26.594, 0.4289, 0.4287, 0.4291, 127, 0.28),
        (EP1, 96.205, 0.2812, 0.5117, 24.205, 0.4103, 0.4100, 0.4105, 125, 0.25),
        (EP2, 98.944, 0.2773, 0.5312, 27.944, 0.4299, 0.4297, 0.4301, 120, 0.28),
        (EP3, 98.022, 0.2773, 0.5312, 27.022, 0.4157, 0.4155, 0.4159, 120, 0.28),
    ],
)
def test_what_each_row_of_the_card_implies(
    row: Result,
    total: float,
    solved: float,
    touched: float,
    partial: float,
    credit: float,
    low: float,
    high: float,
    zeros: int,
    share: float,
) -> None:
    found = audit_row(row)

    assert isinstance(found, RowAudit)
    assert found.total == pytest.approx(total, abs=5e-4)
    assert found.solved == pytest.approx(solved, abs=5.1e-5)
    assert found.touched == pytest.approx(touched, abs=5.1e-5)
    assert found.partial_sum == pytest.approx(partial, abs=5e-4)
    assert found.credit == pytest.approx(credit, abs=5e-5)
    assert found.credit_span == pytest.approx((low, high), abs=5e-5)
    assert found.zeros == zeros
    assert found.partial_share == pytest.approx(share, abs=0.005)


@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        (BASE, INIT, (38.81, 31, 7.19, 0.62)),
        (INIT, EP1, (2.61, 5, -1.26, -1.13)),
        (EP1, EP2, (2.74, -1, 2.52, 1.22)),
        (EP2, EP3, (-0.92, 0, 0, -0.92)),
    ],
)
def test_what_each_change_is_made_of(
    before: Result, after: Result, parts: tuple[float, ...]
) -> None:
    found = split(before, after)

    assert isinstance(found, Decomposition)
    assert (
        found.total,
        found.success,
        found.partial_count,
        found.partial_value,
    ) == pytest.approx(parts, abs=5e-3)


def test_nothing_in_the_card_s_table_is_inconsistent() -> None:
    checks = [check for row in (BASE, INIT, EP1, EP2, EP3, EARLIER) for check in check_row(row)]

    assert {check.outcome for check in checks} == {AGREES}
    assert len(checks) == 11  # the earlier run has no rate


@given(
    n=st.integers(1, 500),
    data=st.data(),
    decimals=st.integers(2, 5),
)
def test_a_row_computed_from_episodes_is_never_contradicted(
    n: int, data: st.DataObject, decimals: int
) -> None:
    success = data.draw(st.integers(0, n))
    partial = data.draw(st.integers(0, n - success))
    credit = data.draw(st.floats(0, 1)) * partial
    row = result(
        "any",
        f"{(success + credit) / n:.{decimals}f}",
        success,
        partial,
        f"{100 * success / n:.2f}",
        n,
    )

    assert all(check.outcome == AGREES for check in check_row(row))


@given(n=st.integers(10, 500), data=st.data())
def test_a_mean_below_the_successes_or_above_all_touched_tasks_is_contradicted(
    n: int, data: st.DataObject
) -> None:
    success = data.draw(st.integers(1, n - 1))
    partial = data.draw(st.integers(0, n - success - 1))
    wrong = data.draw(st.sampled_from([(success - 0.5) / n, (success + partial + 0.5) / n]))
    assume(0 < wrong < 1)

    checks = list(check_row(result("any", f"{wrong:.6f}", success, partial, n=n)))

    assert CONTRADICTS in {check.outcome for check in checks}


def test_a_rate_of_another_denominator_is_contradicted_and_the_denominator_named() -> None:
    checks = list(check_row(result("x", success=67, rate="26.27")))

    assert [check.outcome for check in checks] == [CONTRADICTS]
    assert "67/256 is 26.17 %, printed 26.27 %" in checks[0].says
    assert "67 would fit 255 tasks" in checks[0].says


def test_a_rate_that_no_count_can_give_is_named_with_the_nearest() -> None:
    checks = list(check_row(result("x", success=25, rate="36.3", n=69)))

    assert "no k/69 rounds to 36.3 %, nearest is 25/69 = 36.23 %" in checks[0].says


def test_more_tasks_touched_than_there_are_is_contradicted() -> None:
    checks = list(check_row(result("x", success=200, partial=57)))

    assert [check.kind for check in checks if check.outcome == CONTRADICTS] == ["counts"]


def test_without_a_denominator_nothing_is_checked() -> None:
    assert list(check_row(result("x", "0.3", 5, 5, n=None))) == []
    assert isinstance(audit_row(result("x", "0.3", 5, 5, n=None)), Unknown)


def test_no_common_grid_of_credit_up_to_32_and_it_is_only_noted() -> None:
    (check,) = check_grid((BASE, INIT, EP1, EP2, EP3, EARLIER))

    assert check.outcome == NOTED
    assert "from 1/40 on none could be excluded" in check.says
    coarsest = int(check.says.partition("1/")[2].partition(";")[0])
    assert coarsest > 32


def test_credit_of_halves_is_recognised() -> None:
    halves = [result("a", f"{10.5 / 256:.4f}"), result("b", f"{77.5 / 256:.4f}")]

    assert "returns: 1/2;" in next(check_grid(halves)).says
