"""Demand a shape of a value that was read from a file; InputError names the place that lacks it."""

from typing import Any, NoReturn

from reproof.ground.errors import InputError

LET_DVC = "let `dvc repro` write it"
MEND = "mend dvc.yaml"


def a_mapping(value: Any, where: str, way_out: str = LET_DVC) -> dict[str, Any]:
    """The value as a mapping with text keys."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        refuse(where, "must be a mapping with text keys", way_out)
    return value


def a_list(value: Any, where: str, way_out: str = MEND) -> list[Any]:
    """The value as a list."""
    if not isinstance(value, list):
        refuse(where, "must be a list", way_out)
    return value


def commands(value: Any, where: str) -> str:
    """One command, or several that DVC runs one after another: one a line."""
    lines = value if isinstance(value, list) else [value]
    if not lines or not all(isinstance(line, str) and line for line in lines):
        refuse(where, "has no cmd")
    return "\n".join(lines)


def refuse(where: str, rule: str, way_out: str = LET_DVC) -> NoReturn:
    """Raise InputError."""
    raise InputError(where, rule, way_out)
