"""A pair is known by its task and by what both sides did, by nothing else."""

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproof.pairs.example import example_pair, example_pairs, reworded, turned
from reproof.pairs.identity import action_of, pair_id, reversed_id, words_id
from reproof.pairs.pair import Pair

CALL = '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [500, 20]}}'
PAIR = example_pair(0, 0)


def response(call: str, thought: str = "Action: tap") -> str:
    return f"{thought}\n<tool_call>\n{call}\n</tool_call>"


def acting(pair: Pair, number: int, call: str) -> Pair:
    """The pair with another response in one step."""
    steps = list(pair.steps)
    steps[number] = replace(steps[number], response=response(call))
    return replace(pair, steps=tuple(steps))


def test_the_id_is_the_sha256_of_a_text_that_anyone_can_write() -> None:
    steps = tuple(replace(PAIR.steps[0], response=text) for text in ("a", response('{"b": 1.0}')))
    pair = replace(PAIR, task_id="t", steps=steps, n_chosen_steps=1)
    by_hand = {
        "chosen": ['{"text":"a"}'],
        "rejected": ['{"calls":[{"b":1}]}'],
        "task": "t",
    }
    text = json.dumps(by_hand, separators=(",", ":"))
    assert pair_id(pair) == hashlib.sha256(text.encode()).hexdigest()


def test_the_id_is_the_same_in_every_release() -> None:
    assert pair_id(PAIR) == "0b3a7b884b88eef90ee760c99139a7cee975ffce626ba50a8ace330eccb7aca1"


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.text(st.characters(exclude_categories=["Cs"])))
def test_another_thought_is_the_same_pair(index: int, thought: str) -> None:
    pair = example_pair(index, 0)
    thought = thought.replace("<tool_call>", "")
    steps = tuple(replace(step, response=thought + step.response) for step in pair.steps)
    assert pair_id(replace(pair, steps=steps)) == pair_id(pair)
    assert (words_id(replace(pair, steps=steps)) == words_id(pair)) == (thought == "")


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.data())
def test_one_other_action_is_another_pair(index: int, data: st.DataObject) -> None:
    pair = example_pair(index, 0)
    number = data.draw(st.integers(0, len(pair.steps) - 1))
    assert pair_id(acting(pair, number, CALL)) != pair_id(pair)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6))
def test_turning_a_pair_turns_its_ids(index: int) -> None:
    pair = example_pair(index, 0)
    assert pair_id(turned(pair)) == reversed_id(pair) != pair_id(pair)
    assert reversed_id(turned(pair)) == pair_id(pair)


def test_everything_but_task_and_actions_may_differ() -> None:
    steps = tuple(
        replace(s, prompt="p", image_indices=(), response_tokens=(9,), reward=1.0, status="failed")
        for s in PAIR.steps
    )
    other = replace(
        PAIR,
        margin=0.0,
        pos_return=0.0,
        neg_return=0.0,
        processed_images=(),
        steps=steps,
        chosen_metadata="{}",
        rejected_metadata="{}",
    )
    assert pair_id(other) == pair_id(PAIR)


def test_another_task_is_another_pair() -> None:
    assert pair_id(replace(PAIR, task_id="other")) != pair_id(PAIR)


def test_the_place_of_the_cut_counts() -> None:
    cut = PAIR.n_chosen_steps + 1
    assert pair_id(replace(PAIR, n_chosen_steps=cut)) != pair_id(PAIR)


def test_examples_are_different_pairs_unless_reworded() -> None:
    pairs = list(example_pairs(300, 5))
    assert len({pair_id(pair) for pair in pairs}) == 300
    assert pair_id(reworded(pairs[0])) == pair_id(pairs[0])
    assert words_id(reworded(pairs[0])) != words_id(pairs[0])


@pytest.mark.parametrize(
    "other",
    [
        '{"arguments": {"coordinate": [500, 20], "action": "click"}, "name": "mobile_use"}',
        CALL.replace(" ", ""),
        CALL.replace("500", "500.0"),
        CALL.replace("500", "5e2"),
        CALL.replace("click", "\\u0063lick"),
    ],
)
def test_a_call_written_in_another_way_is_the_same_action(other: str) -> None:
    assert action_of(response(other)) == action_of(response(CALL))


@pytest.mark.parametrize(
    "other",
    [
        CALL.replace("500", "501"),
        CALL.replace("500", "500.5"),
        CALL.replace("500", '"500"'),
        CALL.replace("click", "long_press"),
        CALL.replace("[500, 20]", "[20, 500]"),
    ],
)
def test_a_call_that_says_another_thing_is_another_action(other: str) -> None:
    assert action_of(response(other)) != action_of(response(CALL))


def test_every_call_of_a_response_counts_in_order() -> None:
    one, two = response('{"a": 1}'), response('{"a": 2}')
    assert len({action_of(text) for text in (one, two, one + two, two + one)}) == 4


@pytest.mark.parametrize(
    "call", ["{", "[1]", "3", '{"a": NaN}', '{"a": 1e999}', '{"a": "\\ud800"}', "[" * 100_000]
)
def test_a_call_that_is_no_json_object_is_taken_as_text(call: str) -> None:
    text = response(call)
    assert json.loads(action_of(f"  {text}\n")) == {"text": text}
    assert action_of(response(call, "other thought")) != action_of(text)


def test_a_text_cannot_pass_for_a_call() -> None:
    assert action_of(action_of(response(CALL))) != action_of(response(CALL))
