"""Turn the values of a record into JSON and back: two inverse functions, driven by the types.

A value is a dataclass, a tuple, a mapping with text keys, a plain JSON value or
an Unknown. Reading is strict: an unknown key, a missing one, a wrong type or a
number that is not finite stops it, and the message names the place.

A field with a default came later than its schema: JSON lacks it where it has that value.
"""

import difflib
import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown, is_unknown_json

_WAY_OUT = "mend it, or write it again with reproof"


def to_json(value: Any) -> Any:
    """The JSON form of a value; `from_json` with the value's type gives it back."""
    if isinstance(value, Unknown):
        return value.to_json()
    if is_dataclass(value) and not isinstance(value, type):
        shown = [field for field in fields(value) if getattr(value, field.name) != field.default]
        return {field.name: to_json(getattr(value, field.name)) for field in shown}
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value


def from_json(kind: Any, value: Any, where: str) -> Any:
    """Parse a JSON value as `kind`; InputError names the place in `where` that is wrong."""
    if kind is Any:
        return _plain(value, where)
    if get_origin(kind) in (Union, types.UnionType):
        return _union(get_args(kind), value, where)
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            _refuse(where, f"is {value!r}, must be one of {', '.join(get_args(kind))}")
        return value
    if get_origin(kind) is tuple:
        return _items(get_args(kind)[0], value, where)
    if get_origin(kind) is Mapping:
        return _mapping(get_args(kind)[1], value, where)
    if is_dataclass(kind):
        return _dataclass(kind, value, where)
    return _scalar(kind, value, where)


def _union(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    """Null, an Unknown or a value; several plain types may stand beside one another."""
    if Unknown in kinds and is_unknown_json(value):
        return Unknown(value["unknown"])
    if type(None) in kinds and value is None:
        return None
    known = [kind for kind in kinds if kind not in (Unknown, type(None))]
    same = [kind for kind in known if type(value) is kind]
    return from_json((same or known)[0], value, where)


def _items(kind: Any, value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        _refuse(where, "must be a list")
    return tuple(from_json(kind, item, f"{where}[{row}]") for row, item in enumerate(value))


def _mapping(kind: Any, value: Any, where: str) -> dict[str, Any]:
    _check_object(value, where)
    return {key: from_json(kind, item, f"{where}.{key}") for key, item in value.items()}


def _dataclass(kind: Any, value: Any, where: str) -> Any:
    _check_object(value, where)
    kinds = _hints(kind)
    for key in value:
        if key not in kinds:
            near = difflib.get_close_matches(key, kinds, n=1)
            hint = f", did you mean {near[0]!r}?" if near else ""
            _refuse(where, f"has {key!r}, which does not belong there{hint}")
    for field in fields(kind):
        if field.name not in value and field.default is MISSING:
            _refuse(where, f"lacks {field.name!r}")
    return kind(**{n: from_json(kinds[n], item, f"{where}.{n}") for n, item in value.items()})


def _scalar(kind: type, value: Any, where: str) -> Any:
    """An int will do for a float; a bool, which Python takes for an int, will not."""
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        _refuse(where, f"is {value!r}, must be of type {kind.__name__}")
    if isinstance(value, float) and not math.isfinite(value):
        _refuse(where, f"is {value!r}, must be finite")
    return value


def _plain(value: Any, where: str) -> Any:
    """Any JSON value, as long as every number in it is finite and every key a text."""
    if isinstance(value, dict):
        return _mapping(Any, value, where)
    if isinstance(value, list):
        return [_plain(item, f"{where}[{row}]") for row, item in enumerate(value)]
    if value is None or isinstance(value, str | bool | int):
        return value
    return _scalar(float, value, where)


def _check_object(value: Any, where: str) -> None:
    if not isinstance(value, dict):
        _refuse(where, "must be an object")
    for key in value:
        if not isinstance(key, str):
            _refuse(where, f"has the key {key!r}, which is no text")


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _refuse(where: str, rule: str) -> NoReturn:
    raise InputError(where, rule, _WAY_OUT)
