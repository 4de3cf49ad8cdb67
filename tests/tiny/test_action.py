"""mobile_use tool calls: writing and parsing are inverse; broken forms are None."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.tiny.action import (
    Action,
    button,
    click,
    parse_response,
    parse_thought,
    terminate,
    with_text,
    write_response,
)

POINTS = st.tuples(st.integers(0, 999), st.integers(0, 999))
ACTIONS = st.one_of(
    st.builds(click, POINTS),
    st.builds(with_text, st.sampled_from(["type", "answer"]), st.text()),
    st.builds(button, st.text()),
    st.builds(terminate, st.sampled_from(["success", "failure"])),
)
THOUGHTS = st.text(st.characters(exclude_characters="\n"), max_size=20)


@given(THOUGHTS, ACTIONS)
def test_what_is_written_can_be_parsed(thought: str, action: Action) -> None:
    response = write_response(thought, action)
    assert parse_response(response) == action
    assert parse_thought(response) == thought


@given(st.text())
def test_any_text_is_an_action_or_none(text: str) -> None:
    parse_response(text)
    assert "\n" not in parse_thought(text)


def call(arguments: str) -> str:
    return f'<tool_call>\n{{"name": "mobile_use", "arguments": {arguments}}}\n</tool_call>'


@pytest.mark.parametrize(
    "response",
    [
        "",
        "tap it",
        "<tool_call>{broken</tool_call>",
        "<tool_call>[1]</tool_call>",
        call("7"),
        call('{"action": "fly"}'),
        call('{"action": "click"}'),
        call('{"action": "click", "coordinate": [1]}'),
        call('{"action": "click", "coordinate": [true, 1]}'),
        call('{"action": "click", "coordinate": ["1", 1]}'),
        call('{"action": "type", "text": 3}'),
        call('{"action": ["click"], "coordinate": [1, 2]}'),
        call('{"action": "click", "coordinate": [1, 2]}').replace("mobile_use", "computer_use"),
    ],
)
def test_a_broken_form_is_none(response: str) -> None:
    assert parse_response(response) is None


def test_coordinates_are_clamped_to_the_grid() -> None:
    assert parse_response(call('{"action": "click", "coordinate": [-5, 2000]}')) == click((0, 999))
