"""The simulated phone as a world for rollouts: it shows itself as chat messages."""

from typing import Any

from reproof.tiny.action import parse_thought
from reproof.tiny.phone import Observation, Phone
from reproof.tiny.prompt import step_messages
from reproof.tiny.tasks import Task


class PhoneWorld:
    """Gymnasium's reset and step; remembers the policy's Action lines."""

    def __init__(self) -> None:
        self._phone = Phone()
        self._thoughts: list[str] = []

    def reset(self, task: Task) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Begin a task."""
        self._thoughts = []
        observation, info = self._phone.reset(task)
        return self._show(observation), info

    def step(self, action: str) -> tuple[list[dict[str, Any]], float, bool, bool, dict[str, Any]]:
        """Carry out what the policy wrote."""
        self._thoughts.append(parse_thought(action))
        observation, reward, terminated, truncated, info = self._phone.step(action)
        return self._show(observation), reward, terminated, truncated, info

    def _show(self, observation: Observation) -> list[dict[str, Any]]:
        return step_messages(observation.goal, self._thoughts, observation.screen)
