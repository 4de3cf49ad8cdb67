import math
from dataclasses import replace
from typing import Any

import pytest

from reproof.ground.errors import ParamsError
from reproof.ground.unknown import Unknown
from reproof.verdict.baseline import Control
from reproof.verdict.check import judge
from reproof.verdict.noise import MeasuredNoise
from reproof.verdict.side import Side
from reproof.verdict.verdict import Numbers, Tolerance, Verdict
from tests.verdict.sides import N, baseline, facts, published

CARD = published(0.3793, 72)
SFT = Control("SFT init", 0.3656, 67)


def ruled(mean: float, success: int) -> Verdict:
    return judge(published(mean, success), baseline(CARD, SFT))


def numbers(verdict: Verdict) -> Numbers:
    assert verdict.numbers is not None
    return verdict.numbers


# rows 27 to 33
@pytest.mark.parametrize(
    ("mean", "success", "outcome", "exit_code", "difference", "tasks"),
    [
        (0.3758, 72, "consistent", 0, -0.0035, 0),
        (0.3656, 67, "inconclusive", 3, -0.0137, -5),
        (0.2140, 36, "drifted", 1, -0.1653, -36),
        (0.3865, 71, "consistent", 0, 0.0072, -1),
        (0.3829, 71, "consistent", 0, 0.0036, -1),
        (0.4193, 78, "drifted", 1, 0.0400, 6),
        (0.3793, 77, "inconclusive", 3, 0.0, 5),
        (0.3793, 80, "drifted", 1, 0.0, 8),
    ],
)
def test_the_published_table_against_its_own_first_row(
    mean: float, success: int, outcome: str, exit_code: int, difference: float, tasks: int
) -> None:
    verdict = ruled(mean, success)
    assert (verdict.outcome, verdict.exit_code()) == (outcome, exit_code)
    assert numbers(verdict).difference == pytest.approx(difference)
    assert numbers(verdict).success_difference == tasks
    assert verdict.mode == "aggregates"


def test_the_limits_are_those_of_the_specification() -> None:
    found = numbers(ruled(0.3758, 72))
    assert found.critical_mean == pytest.approx(0.0311, abs=5e-5)
    assert found.critical_success == 8
    assert found.noise.df is None


def test_the_repeat_that_gave_the_noise_is_told_so() -> None:
    assert any("this very comparison" in note for note in ruled(0.3758, 72).notes)
    assert not any("this very comparison" in note for note in ruled(0.3865, 71).notes)


def test_unproven_is_not_enough_when_strict_and_up_is_fine_when_one_sided() -> None:
    assert ruled(0.3758, 72).exit_code(strict=True) == 3
    assert ruled(0.4193, 78).direction == "up"
    assert ruled(0.4193, 78).exit_code(one_sided=True) == 0
    assert ruled(0.2140, 36).exit_code(one_sided=True) == 1


def test_equal_totals_alone_are_never_reproduced() -> None:
    assert judge(CARD, baseline(CARD)).outcome == "consistent"


@pytest.mark.parametrize(
    ("sigma", "df", "recipe", "outcome"),
    [
        (0.001, 2.0, "i", "reproduced"),
        (0.001, 1.0, "i", "consistent"),
        (0.001, 2.0, "another", "consistent"),
        (0.01, 5.0, "i", "consistent"),
    ],
)
def test_noise_measured_on_the_same_recipe_can_prove_it(
    sigma: float, df: float, recipe: str, outcome: str
) -> None:
    noise = MeasuredNoise(sigma, df, recipe, "repeats")
    side = replace(CARD, run=facts())
    assert judge(side, baseline(side, noise=noise)).outcome == outcome


def test_what_is_proven_needs_room_to_the_tolerance() -> None:
    noise = MeasuredNoise(0.001, 5.0, "i", "repeats")
    sides = [replace(published(0.3793 - d, 72), run=facts()) for d in (0.0, 0.0070, 0.0080)]
    verdicts = [judge(side, baseline(sides[0], noise=noise)).outcome for side in sides]
    # 1.645 * sqrt(2) * .001 = .0023
    assert verdicts == ["reproduced", "reproduced", "consistent"]


# row 34, and what else cannot be
@pytest.mark.parametrize(
    ("side", "part"),
    [
        (published(0.2, 72), "below success / n = 0.2812"),
        (published(0.6, 72, 59), "above (success + partial) / n = 0.5117"),
        (published(37.93, 72), "is it a percentage?"),
        (published(-0.2, 0), "must lie in [0, 1]"),
        (published(math.nan, 72), "must be finite"),
        (published(math.inf, 72), "must be finite"),
        (published(0.5, 257), "do not fit n 256"),
        (published(0.5, -1), "do not fit n 256"),
        (published(0.5, 200, 100), "do not fit n 256"),
        (published(0.5, 0, n=0), "n is 0"),
    ],
)
def test_numbers_that_cannot_be_true_are_invalid_on_either_side(side: Side, part: str) -> None:
    for verdict in (judge(side, baseline(CARD)), judge(CARD, baseline(side))):
        if verdict.outcome != "not_comparable":  # n = 0 is another protocol, too
            assert (verdict.outcome, verdict.exit_code()) == ("invalid", 2)
            assert part in verdict.sentence
        assert verdict.numbers is None


# row 36
@pytest.mark.parametrize(
    ("field", "value"), [("max_steps", 100), ("judge", "v2"), ("env_id", "mobilegym"), ("n", 369)]
)
def test_another_protocol_is_not_compared(field: str, value: Any) -> None:
    changes: dict[str, Any] = {field: value}
    verdict = judge(published(0.38, 72, **changes), baseline(CARD))
    assert (verdict.outcome, verdict.exit_code()) == ("not_comparable", 4)
    assert verdict.numbers is None
    named = "n_tasks" if field == "n" else field
    assert named in verdict.sentence


# row 37
def test_a_protocol_that_is_half_known_caps_what_can_be_claimed() -> None:
    unknown = Unknown("the card does not say")
    gone = judge(published(0.2140, 36, judge=unknown), baseline(CARD))
    assert gone.outcome == "inconclusive"
    assert any("judge" in note and "drifted cannot be claimed" in note for note in gone.notes)
    near = judge(published(0.3758, 72, judge=unknown), baseline(CARD))
    assert near.outcome == "consistent"
    assert any(note == "nobody recorded judge" for note in near.notes)


# row 46
@pytest.mark.parametrize("mean", [0.0137, 0.02, 0.5])
def test_a_tolerance_that_lets_the_wrong_answer_in_is_refused(mean: float) -> None:
    with pytest.raises(ParamsError, match="SFT init, the negative control, would be inside"):
        judge(CARD, baseline(CARD, SFT), Tolerance(mean=mean))
    assert judge(CARD, baseline(CARD, SFT), Tolerance(mean=mean), allow_blind=True).numbers


@pytest.mark.parametrize(
    "tolerance",
    [
        Tolerance(mean=math.nan),
        Tolerance(mean=-0.1),
        Tolerance(mean=0),
        Tolerance(mean=math.inf),
        Tolerance(success=-1),
        Tolerance(alpha=0),
        Tolerance(alpha=1),
        Tolerance(alpha=math.nan),
    ],
)
def test_a_tolerance_without_meaning_is_refused(tolerance: Tolerance) -> None:
    with pytest.raises(ParamsError):
        judge(CARD, baseline(CARD), tolerance)


def test_other_numbers_of_tasks_are_not_compared() -> None:
    ours = published(0.38, 72, n_tasks=N)
    verdict = judge(replace(ours, n=255), baseline(CARD))
    assert verdict.outcome == "not_comparable"
    assert "n is 255, in the baseline 256" in verdict.sentence
