"""One model in a few numbers: counting, errors, and reading the numbers back."""

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.errors import InputError
from reproof.ground.files import write_json
from reproof.ground.unknown import Unknown
from reproof.scores.episode import EpisodeResult
from reproof.scores.evaluation import (
    DEFINITION,
    Difference,
    EvalResult,
    Protocol,
    read_result,
    summarise,
)
from tests.scores.makers import episodes, protocol

BROKEN = EpisodeResult("task-broken", 0, None, None, error="browser died")
RESULT = summarise("init", protocol(4), episodes([1.0, 0.5, 0.25, 0.0]), "f" * 64)


def changed(path: str, value: object) -> dict[str, Any]:
    """RESULT as JSON with one value replaced; `path` names the keys, with dots."""
    raw: dict[str, Any] = copy.deepcopy(RESULT.to_json())
    *parents, last = path.split(".")
    place = raw
    for key in parents:
        place = place[key]
    place[last] = value
    return raw


@given(
    returns=st.lists(st.sampled_from([0.0, 0.125, 0.3, 0.9, 1.0]), min_size=1, max_size=30),
    data=st.data(),
)
def test_counts_and_mean_do_not_depend_on_the_order_and_survive_json(
    returns: list[float], data: st.DataObject
) -> None:
    rows = episodes(returns)
    shuffled = data.draw(st.permutations(rows))

    result = summarise("m", protocol(len(rows)), rows, "f" * 64)

    assert summarise("m", protocol(len(rows)), shuffled, "f" * 64) == result
    assert EvalResult.from_json("f", json.loads(json.dumps(result.to_json()))) == result


def test_a_result_by_hand() -> None:
    found = (RESULT.n, RESULT.mean_return, RESULT.success, RESULT.success_rate, RESULT.partial)

    assert found == (4, 0.4375, 1, 0.25, 2)
    assert (RESULT.errors, RESULT.n_goals) == (0, 4)


def test_variants_of_one_goal_count_as_one_goal() -> None:
    rows = episodes([1.0, 0.0, 1.0], ["wifi", "wifi", "call"])

    assert summarise("m", protocol(3), rows, "f").n_goals == 2


@pytest.mark.parametrize(("policy", "n", "mean"), [("zero", 3, 0.5), ("skip", 2, 0.75)])
def test_a_broken_episode_counts_as_its_policy_says(policy: str, n: int, mean: float) -> None:
    rows = [*episodes([1.0, 0.5]), BROKEN]

    result = summarise("m", protocol(3, error_policy=policy), rows, "f")

    assert (result.n, result.mean_return, result.errors) == (n, mean, 1)
    assert (result.success, result.partial, result.success_rate) == (1, 1, 1 / n)


def test_a_broken_episode_is_refused_under_refuse_and_named() -> None:
    with pytest.raises(InputError, match="m, task 'task-broken': the episode broke"):
        summarise("m", protocol(3), [*episodes([1.0]), BROKEN], "f")


def test_nothing_but_skipped_errors_is_no_result() -> None:
    with pytest.raises(InputError, match="no episode counts"):
        summarise("m", protocol(1, error_policy="skip"), [BROKEN], "f")


def test_an_unknown_error_policy_cannot_be_applied() -> None:
    with pytest.raises(InputError, match="error_policy is 'drop', must be one of refuse"):
        summarise("m", protocol(1, error_policy="drop"), episodes([1.0]), "f")


def test_protocols_differ_by_field_and_an_unknown_one_differs_from_nothing() -> None:
    ours = protocol(256, max_steps=50, judge="v1", env_version=Unknown("not printed"))
    theirs = protocol(369, max_steps=100, judge="v1")

    assert ours.differences(theirs) == (
        Difference("n_tasks", 256, 369),
        Difference("max_steps", 50, 100),
    )
    assert ours.unknown_fields() == ("env_version",)
    assert theirs.differences(theirs) == ()


def test_an_unknown_field_keeps_its_reason_in_json() -> None:
    ours = protocol(4, judge=Unknown("not printed"))

    raw = ours.to_json()

    assert raw["judge"] == {"unknown": "not printed"}
    assert Protocol.from_json("f", raw) == ours


def test_the_definitions_travel_with_the_numbers() -> None:
    raw = RESULT.to_json()

    assert raw["definition"] == DEFINITION
    assert set(raw["metrics"]) == set(DEFINITION)


def test_a_result_is_read_from_disk(tmp_path: Path) -> None:
    write_json(tmp_path / "result.json", RESULT.to_json())

    assert read_result(tmp_path / "result.json") == RESULT


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("metrics.mean_return", math.nan, "mean_return: is nan, must be a finite number"),
        ("metrics.mean_return", "0.4", "mean_return: is '0.4', must be a finite number"),
        ("metrics.mean_return", True, "mean_return: is True, must be a finite number"),
        ("metrics.mean_return", 0.2, "mean_return 0.2 is outside what the counts allow"),
        ("metrics.mean_return", 0.8, r"outside what the counts allow, \[0.2500, 0.7500\]"),
        ("metrics.mean_return", 43.75, "outside what the counts allow"),
        ("metrics.success", 2, "success_rate 0.25 is not 2/4"),
        ("metrics.success", 1.0, "success: is 1.0, must be an integer from 0"),
        ("metrics.success", True, "success: is True, must be an integer from 0"),
        ("metrics.partial", 4, r"success \+ partial = 5 of 4"),
        ("metrics.n", 0, "n is 0"),
        ("metrics.n", -4, "n: is -4, must be an integer from 0"),
        ("metrics", [], "metrics: is not an object"),
        ("model", "", "model: is '', must be a text"),
        ("definition", {}, "definition: is not the one this version uses"),
        ("protocol.temperature", False, "temperature: is False"),
        ("protocol.n_tasks", 4.0, "n_tasks: is 4.0"),
        ("protocol.split", None, "split: is None"),
        ("protocol.max_steps", -1, "max_steps: is -1"),
        ("protocol.extra", 1, "protocol: has 'extra', which does not belong there"),
        ("extra", 1, "has 'extra', which does not belong there"),
    ],
)
def test_a_result_that_cannot_be_is_refused(path: str, value: object, rule: str) -> None:
    with pytest.raises(InputError, match=rule) as caught:
        EvalResult.from_json("eval/init/result.json", changed(path, value))

    assert str(caught.value).startswith("eval/init/result.json")


@pytest.mark.parametrize("name", ["model", "protocol", "metrics", "definition", "episodes_sha256"])
def test_a_missing_part_is_named(name: str) -> None:
    raw = RESULT.to_json()
    del raw[name]

    with pytest.raises(InputError, match=f"lacks '{name}'"):
        EvalResult.from_json("f", raw)


def test_nan_in_a_file_is_refused_although_python_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(changed("metrics.mean_return", math.nan)))

    with pytest.raises(InputError, match="must be a finite number"):
        read_result(path)
