"""Qwen3-VL's mobile_use tool call: parse what a policy wrote, and write it.

The form is that of the Qwen cookbook and of cua-lite's qwen3_vl adapter: one
"Action:" line, then one tool call with coordinates on a 0–1000 grid.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_CALL = re.compile(r"<tool_call>\s*(\{.*\})\s*</tool_call>", re.DOTALL)
_THOUGHT = re.compile(r"\AAction: ([^\n]*)\n")
# What each action must carry, and of which kind.
_ARGUMENTS: dict[str, dict[str, type]] = {
    "click": {"coordinate": list},
    "long_press": {"coordinate": list},
    "swipe": {"coordinate": list, "coordinate2": list},
    "type": {"text": str},
    "answer": {"text": str},
    "system_button": {"button": str},
    "wait": {},
    "terminate": {"status": str},
}


@dataclass(frozen=True)
class Action:
    """One step of a policy: the action's name and its arguments."""

    name: str
    arguments: tuple[tuple[str, Any], ...] = ()

    def argument(self, name: str) -> Any:
        """The argument of that name."""
        return dict(self.arguments)[name]


def click(coordinate: tuple[int, int]) -> Action:
    """A tap at x, y on the 0–1000 grid."""
    return Action("click", (("coordinate", coordinate),))


def with_text(name: str, text: str) -> Action:
    """`type` or `answer`."""
    return Action(name, (("text", text),))


def button(name: str) -> Action:
    """`Back` or `Home`."""
    return Action("system_button", (("button", name),))


def terminate(status: str) -> Action:
    """The end of the episode: `success` or `failure`."""
    return Action("terminate", (("status", status),))


def write_response(thought: str, action: Action) -> str:
    """The policy's turn as text; `parse_response` is the inverse."""
    arguments = {"action": action.name} | dict(action.arguments)
    call = json.dumps({"name": "mobile_use", "arguments": arguments})
    return f"Action: {thought}\n<tool_call>\n{call}\n</tool_call>"


def parse_thought(response: str) -> str:
    """The Action line, which later prompts show as history; empty if there is none."""
    match = _THOUGHT.match(response)
    return match.group(1) if match else ""


def parse_response(response: str) -> Action | None:
    """The action in a policy's turn, or None if the form is broken."""
    match = _CALL.search(response)
    if match is None:
        return None
    try:
        call = json.loads(match.group(1))
    except ValueError:
        return None
    if not isinstance(call, dict) or call.get("name") != "mobile_use":
        return None
    arguments = call.get("arguments")
    return _checked(arguments) if isinstance(arguments, dict) else None


def _checked(arguments: Mapping[str, Any]) -> Action | None:
    name = arguments.get("action")
    if not isinstance(name, str) or name not in _ARGUMENTS:
        return None
    kept: list[tuple[str, Any]] = []
    for key, kind in _ARGUMENTS[name].items():
        value = arguments.get(key)
        if not isinstance(value, kind):
            return None
        point = _point(value) if kind is list else value
        if point is None:
            return None
        kept.append((key, point))
    return Action(name, tuple(kept))


def _point(value: Any) -> tuple[float, float] | None:
    """A coordinate, clamped to the grid as MobileGym does; None if it is not two numbers."""
    if len(value) != 2 or any(isinstance(v, bool) or not isinstance(v, int | float) for v in value):
        return None
    x, y = (min(max(v, 0), 999) for v in value)
    return x, y
