"""Take a JSON value only when it is of the kind it must be; InputError says where it is not."""

import math
from collections.abc import Collection
from typing import Any, NoReturn

from reproof.ground.errors import InputError


def mapping(where: str, value: Any, names: Collection[str]) -> dict[str, Any]:
    """An object with exactly these keys."""
    if not isinstance(value, dict):
        refuse(where, "is not an object")
    for name in names:
        if name not in value:
            refuse(where, f"lacks {name!r}")
    for name in value:
        if name not in names:
            refuse(where, f"has {name!r}, which does not belong there")
    return value


def text(where: str, value: Any) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        refuse(where, f"is {value!r}, must be a text that is not empty")
    return value


def count(where: str, value: Any) -> int:
    """An integer from 0; true is none, although Python says so."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        refuse(where, f"is {value!r}, must be an integer from 0")
    return value


def number(where: str, value: Any) -> float:
    """A finite number; Python's JSON reader lets NaN and Infinity through."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        refuse(where, f"is {value!r}, must be a finite number")
    return float(value)


def refuse(where: str, rule: str, way_out: str = "run the stage that makes it again") -> NoReturn:
    """Raise the InputError."""
    raise InputError(where, rule, way_out)
