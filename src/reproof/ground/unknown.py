"""A fact that nobody recorded: a value with a reason, never 0, None or an empty text."""

from dataclasses import dataclass
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
