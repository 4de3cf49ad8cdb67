"""Several models side by side: what the evidence allows, and what makes it none."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.scores.comparison import Comparison, Versus, compare_models
from reproof.scores.episode import EpisodeResult
from reproof.scores.evaluation import summarise
from reproof.scores.pairing import Entry
from tests.scores.makers import SETTINGS, entry, returns_with

N = 60
LOW, MIDDLE, HIGH = (returns_with(N, success, 10) for success in (5, 20, 40))
RETURNS = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=8, max_size=8)


def run(*returns: list[float]) -> Comparison:
    """init, then epochs, with these returns."""
    names = ("init", "epoch-1", "epoch-2", "epoch-3")
    entries = [
        entry(name, values, steps=69 * i)
        for i, (name, values) in enumerate(zip(names, returns, strict=False))
    ]
    return compare_models(entries, SETTINGS)


def verdicts(results: tuple[Versus, ...]) -> dict[str, str]:
    """By model."""
    return {each.model: each.verdict for each in results}


@given(ours=RETURNS, theirs=RETURNS)
def test_swapping_two_models_negates_the_difference_and_keeps_every_p(
    ours: list[float], theirs: list[float]
) -> None:
    a, b = entry("a", ours), entry("b", theirs)

    (there,) = compare_models([a, b], SETTINGS).pairs
    (back,) = compare_models([b, a], SETTINGS).pairs

    assert there.difference == -back.difference
    assert (there.p, there.mcnemar, there.success_p) == (back.p, back.mcnemar, back.success_p)
    assert (there.lost, there.gained) == (back.gained, back.lost)
    assert there.interval == pytest.approx((-back.interval.high, -back.interval.low))


@given(ours=RETURNS, theirs=RETURNS, data=st.data())
def test_the_order_of_the_rows_in_a_file_does_not_matter(
    ours: list[float], theirs: list[float], data: st.DataObject
) -> None:
    a, b = entry("a", ours), entry("b", theirs)
    shuffled = dataclasses.replace(b, episodes=tuple(data.draw(st.permutations(b.episodes))))

    assert compare_models([a, shuffled], SETTINGS) == compare_models([a, b], SETTINGS)


@given(ours=RETURNS, theirs=RETURNS)
def test_the_differences_of_the_table_are_those_of_the_pairs(
    ours: list[float], theirs: list[float]
) -> None:
    comparison = run(ours, theirs)
    (change,), (pair,) = comparison.changes, comparison.pairs

    assert change.difference == pytest.approx(pair.difference, abs=1e-9)
    assert change.tasks.success == pair.gained - pair.lost
    assert change.tasks.total == pytest.approx(8 * pair.difference, abs=1e-9)


def test_a_pairs_p_does_not_depend_on_who_else_takes_part() -> None:
    few, many = run(LOW, MIDDLE), run(LOW, MIDDLE, HIGH, HIGH)

    assert few.pairs[0].p == many.pairs[0].p
    assert few.pairs[0].p_holm <= many.pairs[0].p_holm


def test_training_that_helped_is_better_and_training_that_hurt_is_worse() -> None:
    better = run(LOW, HIGH, LOW)
    worse = run(HIGH, LOW)

    assert verdicts(better.versus_init) == {"epoch-1": "better", "epoch-2": "not better than init"}
    assert verdicts(worse.versus_init) == {"epoch-1": "worse"}


def test_a_lead_that_chance_explains_recommends_the_cheapest() -> None:
    slightly = returns_with(N, 22, 10)
    comparison = run(MIDDLE, slightly)

    by_mean, by_success = comparison.picks
    assert by_mean.best == by_success.best == ("epoch-1",)
    assert by_mean.indistinguishable == ("init", "epoch-1")
    assert by_mean.recommended == by_success.recommended == "init"
    assert comparison.picks_agree


def test_a_lead_that_holds_recommends_the_cheapest_of_the_leaders() -> None:
    comparison = run(LOW, MIDDLE, HIGH, HIGH)

    for pick in comparison.picks:
        assert pick.best == ("epoch-2", "epoch-3")
        assert pick.indistinguishable == ("epoch-2", "epoch-3")
        assert pick.recommended == "epoch-2"


def test_at_equal_cost_the_better_model_is_recommended() -> None:
    comparison = compare_models(
        [entry("base", MIDDLE), entry("init", returns_with(N, 21, 10))], SETTINGS
    )

    assert comparison.picks[0].recommended == "init"


def test_metrics_that_disagree_are_said_to() -> None:
    """More successes on one side, more partial credit on the other."""
    comparison = run(returns_with(N, 10, 40, credit=0.8), returns_with(N, 12, 0))

    assert [pick.best for pick in comparison.picks] == [("init",), ("epoch-1",)]
    assert not comparison.picks_agree
    assert comparison.pareto == ("init", "epoch-1")


def test_ties_share_a_rank() -> None:
    comparison = run(LOW, HIGH, MIDDLE, MIDDLE)

    assert [row.rank_by_success for row in comparison.rows] == [4, 1, 2, 2]


def test_the_baseline_is_shown_and_tested_but_is_no_candidate() -> None:
    entries = [entry("blind", HIGH), entry("init", LOW), entry("epoch-1", HIGH, steps=69)]

    comparison = compare_models(entries, SETTINGS)

    blind = comparison.rows[0]
    assert (blind.model, blind.success) == ("blind", 40)
    assert blind.rank_by_success == Unknown("the baseline is not ranked")
    assert comparison.picks[0].best == ("epoch-1",)
    assert [(p.first, p.second) for p in comparison.pairs] == [("init", "epoch-1")]
    assert "blind" not in comparison.pareto
    assert verdicts(comparison.versus_blind) == {
        "init": "worse",
        "epoch-1": "not better than blind",
    }


def test_the_table_is_in_order_of_cost() -> None:
    entries = [entry("epoch-1", HIGH, steps=69), entry("init", LOW)]

    comparison = compare_models(entries, SETTINGS)

    assert [row.model for row in comparison.rows] == ["init", "epoch-1"]
    assert verdicts(comparison.versus_init) == {"epoch-1": "better"}


def test_few_goals_are_untestable_however_many_tasks_they_have() -> None:
    goals = [f"goal {i % 4}" for i in range(N)]
    entries = [entry("init", LOW, 0, goals), entry("epoch-1", HIGH, 69, goals)]

    comparison = compare_models(entries, SETTINGS)

    assert comparison.n_goals == 4
    assert comparison.pairs[0].p >= comparison.pairs[0].least_p == 0.125
    assert verdicts(comparison.versus_init) == {"epoch-1": "untestable"}


def test_goals_flipped_together_are_less_sure_than_single_tasks() -> None:
    goals = [f"goal {i // 6}" for i in range(N)]
    alone = run(LOW, HIGH).pairs[0]
    together = compare_models(
        [entry("init", LOW, 0, goals), entry("epoch-1", HIGH, 69, goals)], SETTINGS
    ).pairs[0]

    assert together.p > alone.p
    assert together.interval.width > alone.interval.width
    assert together.mcnemar == alone.mcnemar == alone.success_p < together.success_p


def test_repeats_of_a_task_are_one_piece_of_evidence() -> None:
    """Three samples of each of four tasks: four units, not twelve."""
    comparison = compare_models(
        [_sampled("init", 0.0), dataclasses.replace(_sampled("epoch-1", 1.0), steps=69)], SETTINGS
    )

    assert comparison.n == 12
    assert comparison.pairs[0].p == 0.125


def _sampled(model: str, value: float) -> Entry:
    rows = tuple(
        EpisodeResult(f"task-{i}", sample, value, value == 1)
        for i in range(4)
        for sample in range(3)
    )
    template = entry(model, [value] * 4, group_size=3).result.protocol
    return Entry(summarise(model, template, rows, "f"), rows, 0)


def test_all_zero_everywhere_divides_by_nothing() -> None:
    comparison = run([0.0] * 10, [0.0] * 10)

    pair = comparison.pairs[0]
    assert (pair.difference, pair.p, pair.mcnemar) == (0, 1, 1)
    assert comparison.picks[0].best == ("init", "epoch-1")


def test_one_model_alone_is_a_table_without_pairs() -> None:
    comparison = compare_models([entry("init", LOW)], SETTINGS)

    assert (comparison.pairs, comparison.changes, comparison.versus_init) == ((), (), ())
    assert comparison.picks[0].recommended == "init"


@pytest.mark.parametrize(
    ("field", "value"),
    [("max_steps", 50), ("judge", "v2"), ("env_version", "2"), ("batch_size", 1)],
)
def test_another_protocol_is_named_before_any_number_is_compared(field: str, value: object) -> None:
    with pytest.raises(InputError, match=f"result of epoch-1: {field} is {value!r}"):
        compare_models(
            [entry("init", LOW), entry("epoch-1", HIGH, 69, None, **{field: value})], SETTINGS
        )


def test_what_nobody_recorded_of_the_protocol_is_listed() -> None:
    judge = Unknown("not printed")

    comparison = compare_models([entry("init", LOW, judge=judge)], SETTINGS)

    assert comparison.to_json()["protocol_unknown"] == ["judge"]


def test_a_task_that_only_one_model_has_is_named() -> None:
    ours, theirs = (
        entry("init", LOW, error_policy="skip"),
        entry("epoch-1", HIGH, error_policy="skip"),
    )
    broken = EpisodeResult("task-0059", 0, None, None, error="browser died")
    rows = (*theirs.episodes[:-1], broken)
    result = summarise("epoch-1", theirs.result.protocol, rows, "f")

    rule = "episodes of epoch-1: has no score for sample 0 of task 'task-0059', which init has"
    with pytest.raises(InputError, match=rule):
        compare_models([ours, Entry(result, rows, 69)], SETTINGS)


def test_an_evaluation_that_lacks_a_task_is_refused() -> None:
    whole = entry("init", LOW)

    with pytest.raises(InputError, match="init: has 59 tasks, the protocol says 60"):
        compare_models([dataclasses.replace(whole, episodes=whole.episodes[1:])], SETTINGS)


def test_the_same_number_of_other_tasks_is_no_match() -> None:
    ours, theirs = entry("init", LOW), entry("epoch-1", LOW)
    moved = dataclasses.replace(theirs.episodes[0], task_id="another")
    theirs = dataclasses.replace(theirs, episodes=(moved, *theirs.episodes[1:]))

    with pytest.raises(InputError, match="which init has"):
        compare_models([ours, theirs], SETTINGS)


def test_a_task_with_another_goal_is_no_match() -> None:
    goals = ["a"] * N
    with pytest.raises(InputError, match="group is 'b', for init it is 'a'"):
        compare_models(
            [entry("init", LOW, 0, goals), entry("epoch-1", LOW, 69, ["b", *goals[1:]])], SETTINGS
        )


@pytest.mark.parametrize("name", ["n", "success", "partial", "mean_return", "n_goals"])
def test_numbers_that_their_episodes_do_not_give_are_refused(name: str) -> None:
    honest = entry("init", LOW)
    result = dataclasses.replace(honest.result, **{name: getattr(honest.result, name) + 1})

    with pytest.raises(InputError, match=f"result of init: {name} is"):
        compare_models([dataclasses.replace(honest, result=result)], SETTINGS)


def test_one_name_stands_for_one_model() -> None:
    with pytest.raises(InputError, match="two models have one name"):
        compare_models([entry("init", LOW), entry("init", HIGH)], SETTINGS)


def test_nothing_and_the_baseline_alone_are_no_comparison() -> None:
    with pytest.raises(InputError, match="nothing to compare"):
        compare_models([], SETTINGS)
    with pytest.raises(InputError, match="only 'blind' is there"):
        compare_models([entry("blind", LOW)], SETTINGS)


def test_it_is_plain_json_without_nan() -> None:
    text = json.dumps(run(LOW, HIGH).to_json(), allow_nan=False)

    assert json.loads(text)["rows"][0]["mean_interval"].keys() == {"low", "high"}
