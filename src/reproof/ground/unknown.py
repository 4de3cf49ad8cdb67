"""A fact that nobody recorded: a value with a reason, never 0, None or an empty text."""

from dataclasses import dataclass, fields, is_dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Unknown:
    """Stands where a value would stand, and says why there is none."""

    why: str

    def to_json(self) -> dict[str, str]:
        """`{"unknown": "why"}`."""
        return {"unknown": self.why}


def is_unknown_json(value: Any) -> bool:
    """Whether a JSON value is the form that `Unknown.to_json` gives."""
    return (
        isinstance(value, dict) and list(value) == ["unknown"] and isinstance(value["unknown"], str)
    )


def plain(value: Any) -> Any:
    """Values as JSON holds them: classes and named tuples as objects, tuples as lists.

    An Unknown takes its own form, wherever it stands.
    """
    if isinstance(value, Unknown):
        return value.to_json()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict) or hasattr(value, "_asdict"):
        items = value.items() if isinstance(value, dict) else value._asdict().items()
        return {key: plain(item) for key, item in items}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value
