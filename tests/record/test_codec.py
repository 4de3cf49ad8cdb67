from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.record.codec import from_json, to_json


@dataclass(frozen=True, slots=True)
class Inner:
    """A value in a value."""

    size: int | None
    share: float | Unknown


@dataclass(frozen=True, slots=True)
class Outer:
    """One field of each kind."""

    kind: Literal["a", "b"]
    inner: tuple[Inner, ...]
    named: Mapping[str, str]
    free: Any


VALUE = Outer("a", (Inner(1, 0.5), Inner(None, Unknown("lost"))), {"k": "v"}, [1, {"x": None}])
PLAIN: dict[str, Any] = {
    "kind": "a",
    "inner": [{"size": 1, "share": 0.5}, {"size": None, "share": {"unknown": "lost"}}],
    "named": {"k": "v"},
    "free": [1, {"x": None}],
}


def test_both_directions() -> None:
    assert to_json(VALUE) == PLAIN
    assert from_json(Outer, PLAIN, "f") == VALUE


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "c"}, r"f\.kind: is 'c', must be one of a, b"),
        ({"knd": "a"}, "f: has 'knd', which does not belong there, did you mean 'kind'?"),
        ({"inner": {}}, r"f\.inner: must be a list"),
        ({"inner": [{"size": 1}]}, r"f\.inner\[0\]: lacks 'share'"),
        ({"inner": [{"size": True, "share": 1}]}, r"size: is True, must be of type int"),
        ({"inner": [{"size": 1.0, "share": 1}]}, r"size: is 1\.0, must be of type int"),
        ({"inner": [{"size": 1, "share": "1"}]}, r"share: is '1', must be of type float"),
        ({"inner": [{"size": 1, "share": True}]}, r"share: is True, must be of type float"),
        ({"inner": [{"size": 1, "share": float("nan")}]}, r"share: is nan, must be finite"),
        ({"free": [float("inf")]}, r"f\.free\[0\]: is inf, must be finite"),
        ({"free": {1: 2}}, r"f\.free: has the key 1, which is no text"),
        ({"named": {"k": 1}}, r"f\.named\.k: is 1, must be of type str"),
        ({"named": []}, r"f\.named: must be an object"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        from_json(Outer, PLAIN | change, "f")


def test_a_whole_number_will_do_for_a_float() -> None:
    inner = from_json(Inner, {"size": 1, "share": 1}, "f")
    assert type(inner.share) is float
