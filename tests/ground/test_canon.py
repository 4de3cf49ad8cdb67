"""Equal values have equal bytes and equal digests, whatever order they were built in."""

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproof.ground.canon import sha256_of, to_bytes

PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    PLAIN, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=10
)
LAW = settings(max_examples=50, deadline=None)


@LAW
@given(JSON)
def test_the_bytes_say_the_whole_value(value: object) -> None:
    assert json.loads(to_bytes(value)) == value


@LAW
@given(st.dictionaries(TEXTS, PLAIN, max_size=5), st.data())
def test_the_order_of_keys_does_not_count(value: dict[str, object], data: st.DataObject) -> None:
    keys = data.draw(st.permutations(list(value)))
    assert to_bytes({key: value[key] for key in keys}) == to_bytes(value)


@LAW
@given(JSON, JSON)
def test_different_values_have_different_digests(one: object, other: object) -> None:
    assert (sha256_of(one) == sha256_of(other)) == (to_bytes(one) == to_bytes(other))


def test_the_form_is_the_one_that_other_tools_can_make() -> None:
    assert to_bytes({"b": [1, 2.5, None], "a": "é"}) == '{"a":"é","b":[1,2.5,null]}'.encode()
    assert sha256_of({"a": 1}) == hashlib.sha256(b'{"a":1}').hexdigest()


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), [float("-inf")], {"a": float("nan")}]
)
def test_numbers_that_json_cannot_hold_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        to_bytes(value)
