import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.unknown import Unknown
from reproof.verdict.check import judge
from reproof.verdict.side import Side
from reproof.verdict.verdict import Flips, Numbers, Tolerance, Verdict
from tests.verdict.sides import N, baseline, card, facts, per_task

CARD = card()
ORDER = {"drifted": 0, "inconclusive": 1, "consistent": 2, "reproduced": 3}


def ruled(ours: list[float], theirs: list[float] = CARD) -> Verdict:
    return judge(per_task(ours), baseline(per_task(theirs)))


def numbers(verdict: Verdict) -> Numbers:
    assert verdict.numbers is not None
    return verdict.numbers


def lost(count: int, gained: int = 0) -> list[float]:
    """The card's returns with some successes gone and some zeros solved."""
    returns = list(CARD)
    returns[:count] = [0.0] * count
    returns[N - gained :] = [1.0] * gained
    return returns


# rows 18 to 20 of the table
@pytest.mark.parametrize(
    ("count", "outcome", "difference", "p"),
    [
        (1, "consistent", -0.0039, 1.0),
        (2, "consistent", -0.0078, 0.5),
        (3, "inconclusive", -0.0117, 0.25),
        (4, "inconclusive", -0.0156, 0.125),
        (5, "inconclusive", -0.0195, 0.0625),
        (6, "drifted", -0.0234, 0.03125),
        (8, "drifted", -0.0313, 0.0078125),
        (10, "drifted", -0.0391, 0.001953125),
    ],
)
def test_lost_successes_move_the_verdict_step_by_step(
    count: int, outcome: str, difference: float, p: float
) -> None:
    verdict = ruled(lost(count))
    assert verdict.outcome == outcome
    assert numbers(verdict).difference == pytest.approx(difference, abs=6e-5)
    assert numbers(verdict).difference_tasks == pytest.approx(-count)
    assert numbers(verdict).p == pytest.approx(p)


def half(verdict: Verdict) -> float:
    return numbers(verdict).interval.width / 2


# row 16, and 15
@pytest.mark.parametrize("returns", [CARD, [0.0] * N])
def test_equal_results_are_reproduced(returns: list[float]) -> None:
    verdict = ruled(returns, returns)
    assert (verdict.outcome, numbers(verdict).p) == ("reproduced", 1.0)
    assert half(verdict) == pytest.approx(0.0064, abs=5e-5)
    assert flips(verdict) == (0, 0, 1.0)
    assert isinstance(numbers(verdict).noise.sigma, Unknown)


def flips(verdict: Verdict) -> tuple[int, int, float]:
    found = numbers(verdict).flips
    assert isinstance(found, Flips)
    return len(found.lost), len(found.gained), found.mcnemar


# row 17
def test_everything_lost_is_drift_downward() -> None:
    verdict = ruled([0.0] * N, [1.0] * N)
    assert (verdict.outcome, verdict.direction) == ("drifted", "down")
    assert numbers(verdict).difference == -1
    assert numbers(verdict).p == pytest.approx(1e-4)
    assert flips(verdict)[2] == pytest.approx(1.73e-77, rel=0.01)


# rows 21 and 22
def test_churn_is_consistent_and_more_of_it_gets_a_warning() -> None:
    some, much = ruled(lost(10, 10)), ruled(lost(30, 30))
    assert some.outcome == much.outcome == "consistent"
    assert (numbers(some).difference, numbers(some).p) == (0, 1)
    assert half(some) == pytest.approx(0.0292, abs=5e-5)
    assert half(much) == pytest.approx(0.0498, abs=5e-5)
    warned = [any("tasks flipped" in note for note in v.notes) for v in (some, much)]
    assert warned == [False, True]


# row 23
def test_a_shift_that_is_proven_and_tiny_is_reproduced() -> None:
    verdict = ruled(card(credit=0.40))
    assert verdict.outcome == "reproduced"
    assert numbers(verdict).p == pytest.approx(1e-4)
    assert numbers(verdict).interval == pytest.approx((-0.0087, 0.0041), abs=5e-5)


# row 25
def test_one_task_proves_nothing() -> None:
    same, other = ruled([1.0], [1.0]), ruled([0.0], [1.0])
    assert (same.outcome, other.outcome) == ("consistent", "inconclusive")
    assert half(same) == pytest.approx(0.548, abs=5e-4)
    assert numbers(other).p == 1


# row 14
def test_almost_one_is_a_success() -> None:
    verdict = ruled([0.9999999999 if value == 1 else value for value in CARD])
    assert (verdict.outcome, numbers(verdict).success_difference) == ("reproduced", 0)


# row 4
def test_a_missing_task_makes_it_incomparable_with_a_bound() -> None:
    verdict = ruled(CARD[:-1])
    assert verdict.outcome == "not_comparable"
    ours = per_task(CARD[:-1], n_tasks=N)
    verdict = judge(ours, baseline(per_task(CARD)))
    assert verdict.outcome == "not_comparable"
    assert "1 of its tasks are missing (t255)" in verdict.sentence
    assert "uncertain by 0.0039" in verdict.sentence


# row 5
def test_another_task_makes_it_incomparable_and_both_are_named() -> None:
    names = [f"t{row:03}" for row in range(N - 1)] + ["stranger"]
    verdict = judge(per_task(CARD, names=names), baseline(per_task(CARD)))
    assert (verdict.outcome, verdict.exit_code()) == ("not_comparable", 4)
    assert "(t255)" in verdict.sentence
    assert "(stranger)" in verdict.sentence


# row 43
def test_four_goals_can_never_show_a_difference() -> None:
    goals = [f"g{row % 4}" for row in range(N)]
    verdict = judge(per_task([0.0] * N, groups=goals), baseline(per_task([1.0] * N, groups=goals)))
    assert numbers(verdict).p == 0.125
    assert verdict.outcome == "inconclusive"
    assert any("0.125" in note for note in verdict.notes)


def test_a_goal_flips_as_a_whole() -> None:
    goals = [f"g{row // 2}" for row in range(N)]
    alone, together = (
        lost(6),
        judge(per_task(lost(6), groups=goals), baseline(per_task(CARD, groups=goals))),
    )
    assert ruled(alone).outcome == "drifted"
    assert (together.outcome, numbers(together).p) == ("inconclusive", 0.25)


def test_success_alone_can_leave_the_tolerance() -> None:
    ours, theirs = [0.9] * 5 + CARD[5:], [1.0] * 5 + CARD[5:]
    verdict = ruled(ours, theirs)
    assert abs(numbers(verdict).difference) < 0.01
    assert (numbers(verdict).success_difference, verdict.outcome) == (-5, "inconclusive")


returns_ = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=12, max_size=40)


@given(returns_, st.randoms(use_true_random=False))
def test_the_order_of_tasks_does_not_matter(returns: list[float], random: Random) -> None:
    side, theirs = per_task(returns), baseline(per_task([0.5] * len(returns)))
    assert not isinstance(side.tasks, Unknown)
    shuffled = list(side.tasks)
    random.shuffle(shuffled)
    assert judge(replace(side, tasks=tuple(shuffled)), theirs) == judge(side, theirs)


@given(returns_)
def test_changing_sides_changes_only_the_sign(returns: list[float]) -> None:
    one, other = per_task(returns), per_task([0.5] * len(returns))
    there, back = judge(one, baseline(other)), judge(other, baseline(one))
    assert there.outcome == back.outcome
    assert numbers(there).p == numbers(back).p
    assert numbers(there).difference == pytest.approx(-numbers(back).difference)


@given(st.integers(0, 40))
def test_losing_more_never_makes_it_look_better(count: int) -> None:
    assert ORDER[ruled(lost(count + 1)).outcome] <= ORDER[ruled(lost(count)).outcome]


def test_false_alarms_stay_at_the_level_without_drift() -> None:
    rng = np.random.default_rng(0)
    drifted = 0
    for _ in range(200):
        ours, theirs = ((rng.random(64) < 0.5).astype(float).tolist() for _ in range(2))
        drifted += ruled(ours, theirs).outcome == "drifted"
    assert drifted <= 20  # 5 %, plus three standard errors


def test_equal_inputs_outputs_and_returns_are_identical() -> None:
    verdict = judge(per_task(CARD, facts()), baseline(per_task(CARD, facts())))
    assert (verdict.outcome, verdict.exit_code(strict=True)) == ("identical", 0)


@pytest.mark.parametrize(
    "ours",
    [
        per_task(CARD, facts(outputs_id="other")),
        per_task(CARD, facts(inputs_id="other")),
        per_task(CARD),
        per_task(card(credit=0.41 + 1e-12), facts()),
    ],
)
def test_anything_less_is_not_identical(ours: Side) -> None:
    verdict = judge(ours, baseline(per_task(CARD, facts())))
    assert verdict.outcome == "reproduced"


@pytest.mark.parametrize("name", ["inputs", "outputs"])
def test_a_run_that_lost_an_id_is_consistent_at_best_and_says_so(name: str) -> None:
    side = per_task(CARD, facts(**{f"{name}_id": Unknown("lost")}))
    verdict = judge(side, baseline(side))
    assert (verdict.outcome, verdict.exit_code(strict=True)) == ("consistent", 3)
    assert f"{name} unknown: lost" in verdict.notes


def test_equal_ids_over_unequal_inputs_are_not_identical() -> None:
    known = facts().inputs
    assert not isinstance(known, Unknown)
    edited = facts(inputs={**known, "code": {"a.py": "9"}})
    assert judge(per_task(CARD, edited), baseline(per_task(CARD, facts()))).outcome == "reproduced"


def test_equal_inputs_with_other_outputs_are_worth_a_note() -> None:
    verdict = judge(per_task(CARD, facts(outputs_id="p")), baseline(per_task(CARD, facts())))
    assert any("not repeatable" in note for note in verdict.notes)


def test_the_smallest_detectable_difference_is_found_four_times_in_five() -> None:
    """Simulated: independent flips around a true drop of that size."""
    detectable = numbers(ruled(lost(5, 5))).smallest_detectable
    error = half(ruled(lost(5, 5))) / 1.6449
    assert detectable == pytest.approx(max(1.96 * error, 0.01) + 0.8416 * error, rel=1e-3)


@pytest.mark.parametrize("tolerance", [0.01, 0.02, 0.03])
def test_runs_needed_are_those_of_the_specification(tolerance: float) -> None:
    from reproof.verdict.noise import runs_needed

    sigmas = (0.0025, 0.005, 0.0098, 0.015, 0.021)
    wanted = {
        0.01: (2, 5, 17, 39, 76),
        0.02: (1, 2, 5, 10, 19),
        0.03: (1, 1, 2, 5, 9),
    }[tolerance]
    errors = [math.sqrt(2) * sigma for sigma in sigmas]
    assert tuple(runs_needed(e, Tolerance(mean=tolerance)) for e in errors) == wanted
