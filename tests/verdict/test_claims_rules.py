"""Rulings; the numbers are those of the published card, worked out apart from this code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.unknown import Unknown
from reproof.verdict.claims import Result
from reproof.verdict.claims_bounds import Contrast, contrast
from reproof.verdict.claims_rows import AGREES, CONTRADICTS, Check
from reproof.verdict.claims_rules import RULES, rule_on
from reproof.verdict.claims_ruling import (
    CONTRADICTED,
    NOT_SUPPORTED,
    SUPPORTED,
    UNTESTABLE,
    VERDICTS,
    Claim,
    Part,
    Ruling,
)
from tests.verdict.claimed import (
    BASE,
    EARLIER,
    EP1,
    EP2,
    EP3,
    INIT,
    OFF2,
    ON2,
    PLACE,
    result,
)

REPEATS = (EARLIER, EP1)
BOTH = ("mean_return", "success")


def part(rule: str, better: Result, than: Result, **more: object) -> Part:
    return Part(rule, better=(better,), than=(than,), **more)  # type: ignore[arg-type]  # any field may change


@pytest.mark.parametrize(
    ("before", "after", "p_max", "p_range"),
    [
        (BASE, INIT, 0.0012, (9.3e-10, 0.0029)),
        (BASE, EP1, 0.0006, (2.9e-11, 0.0007)),
        (INIT, EP1, 0.85, (0.0625, 0.735)),
        (INIT, EP2, 0.70, (0.125, 0.799)),
        (EP1, EP2, 0.85, (1, 1)),
        (EP2, EP3, 0.95, (1, 1)),
    ],
)
def test_bounds_under_any_pairing(
    before: Result, after: Result, p_max: float, p_range: tuple[float, float]
) -> None:
    mean, success = contrast(after, before, "mean_return"), contrast(after, before, "success")

    assert isinstance(mean, Contrast)
    assert isinstance(success, Contrast)
    assert mean.p.greatest == pytest.approx(p_max, abs=0.005 if p_max > 0.1 else 5.1e-5)
    assert success.p == pytest.approx(p_range, rel=0.05)


def test_base_below_everything_is_supported_on_both_metrics() -> None:
    asserted = Part("greater", metrics=BOTH, better=(INIT, EP1, EP2, EP3), than=(BASE,))

    assert rule_on(asserted, ()).verdict == SUPPORTED


def test_the_same_claim_the_other_way_round_is_contradicted() -> None:
    assert rule_on(part("greater", BASE, INIT, metrics=BOTH), ()).verdict == CONTRADICTED


def test_a_difference_of_one_repeat_gap_called_more_than_noise_is_contradicted() -> None:
    found = rule_on(part("beyond-noise", EP3, EP2, repeats=REPEATS), ())

    assert found.verdict == CONTRADICTED
    assert "p 0.491" in found.why
    assert "1.03 times the repeat gap" in found.why
    assert "less than one task" in found.why


def test_a_difference_of_three_gaps_is_not_supported_and_the_noise_is_circular() -> None:
    found = rule_on(part("beyond-noise", EP2, EP1, repeats=REPEATS), ())

    assert found.verdict == NOT_SUPPORTED
    assert "p 0.201" in found.why
    assert found.confounds == ("circular: ep1 is both compared and one of the two repeats",)
    assert "every task" in found.needs


def test_a_difference_of_a_hundred_gaps_is_more_than_noise() -> None:
    far = result("far", "0.7365", 150, 65)

    assert rule_on(part("beyond-noise", far, EP2, repeats=REPEATS), ()).verdict == SUPPORTED


def test_equal_repeats_leave_a_claim_about_noise_untestable() -> None:
    equal = (EP1, result("again", "0.3758", 72))

    assert rule_on(part("beyond-noise", EP2, EP1, repeats=equal), ()).verdict == UNTESTABLE


def test_one_pair_of_repeats_does_not_support_that_noise_is_small() -> None:
    found = rule_on(part("small-noise", EP2, EP3, repeats=REPEATS), ())

    assert found.verdict == NOT_SUPPORTED
    assert "1 df: sigma 95 % [0.0011, 0.0790]" in found.why


def test_epochs_cannot_be_told_apart_on_success_whatever_was_not_published() -> None:
    found = rule_on(Part("differ", metrics=("success",), better=(EP1, EP2, EP3)), ())

    assert found.verdict == NOT_SUPPORTED
    assert found.why == "exact p = 1 under any pairing: no unpublished table can change it"


def test_training_against_the_init_depends_on_the_pairing() -> None:
    paired = Part("greater", better=(EP1, EP2, EP3), than=(INIT,), paired=True)
    recipe = Part("greater", better=(EP1, EP2, EP3), than=(INIT,), repeats=REPEATS)

    assert rule_on(paired, ()).verdict == UNTESTABLE
    assert rule_on(recipe, ()).verdict == NOT_SUPPORTED
    assert "best p 0.106 on 1 df" in rule_on(recipe, ()).why


def test_the_best_is_not_the_best_when_metrics_disagree() -> None:
    found = rule_on(Part("best", metrics=BOTH, better=(EP2,), than=(EP1, EP3)), ())

    assert found.verdict == NOT_SUPPORTED
    assert "mean_return: ep2 (0.3865); success: ep1 (72)" in found.why


def test_a_row_that_is_first_on_no_metric_is_not_the_best() -> None:
    found = rule_on(Part("best", metrics=BOTH, better=(EP3,), than=(EP1, EP2)), ())

    assert found.verdict == CONTRADICTED


def test_a_row_far_above_all_others_is_the_best() -> None:
    found = rule_on(Part("best", metrics=BOTH, better=(EP2,), than=(BASE,)), ())

    assert found.verdict == SUPPORTED


def test_noise_of_another_experiment_is_named_as_borrowed() -> None:
    found = rule_on(part("greater", ON2, OFF2, repeats=REPEATS), ())

    assert found.verdict == NOT_SUPPORTED
    assert "+0.0310: p 0.072 on 1 df, noise borrowed from another experiment" in found.why
    assert found.confounds == ("noise pooled across recipes: measured on main",)


def test_success_that_was_not_published_is_untestable() -> None:
    assert rule_on(part("greater", ON2, OFF2, metrics=("success",)), ()).verdict == UNTESTABLE


def test_borrowed_noise_is_shown_and_not_relied_on() -> None:
    found = rule_on(part("greater", ON2, OFF2, borrowed=REPEATS), ())

    assert found.verdict == UNTESTABLE
    assert "would have p 0.072 with noise of another experiment" in found.why


def test_other_denominators_cannot_be_compared() -> None:
    short = result("short", "0.9", 200, 20, n=255)

    assert contrast(short, BASE, "mean_return") == Unknown("the denominators differ: 255 and 256")
    assert rule_on(part("greater", short, BASE), ()).verdict == UNTESTABLE


def test_arithmetic_is_contradicted_by_one_wrong_number() -> None:
    right = Check("rate", AGREES, "fine", PLACE)
    wrong = Check("rate", CONTRADICTS, "36/256 is 14.06 %, printed 14.60 %", PLACE)

    assert rule_on(Part("arithmetic"), (right,)).verdict == SUPPORTED
    assert rule_on(Part("arithmetic"), (right, wrong)).verdict == CONTRADICTED
    assert rule_on(Part("arithmetic"), ()).verdict == UNTESTABLE


@given(
    rule=st.sampled_from(sorted(RULES)),
    means=st.lists(st.integers(0, 10_000), min_size=4, max_size=4),
    n=st.sampled_from([256, None]),
)
def test_every_rule_gives_one_of_the_four_verdicts_and_a_reason(
    rule: str, means: list[int], n: int | None
) -> None:
    rows = [result(f"r{i}", f"{mean / 1e4:.4f}", n=n) for i, mean in enumerate(means)]
    asserted = Part(rule, better=(rows[0],), than=(rows[1],), repeats=(rows[2], rows[3]))
    if rule == "differ":
        asserted = Part(rule, better=(rows[0], rows[1]))

    found = rule_on(asserted, ())

    assert found.verdict in VERDICTS
    assert found.why


def test_a_ruling_names_its_parts_when_they_disagree() -> None:
    parts = (
        part("greater", ON2, OFF2, repeats=REPEATS, label="mean"),
        part("greater", ON2, OFF2, metrics=("success",), label="success"),
    )
    claim = Claim("on beats off", (), parts)
    ruling = Ruling(claim, tuple(rule_on(each, ()) for each in parts))

    assert ruling.verdict == "not supported (mean); untestable (success)"
    assert not ruling.is_contradicted
