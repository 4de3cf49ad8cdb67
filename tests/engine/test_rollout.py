"""Rollouts: no task lost, order kept, the batch size does not show in the result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.engine.rollout import Trajectory, rollout
from reproof.engine.vlm import (
    Messages,
    Prompt,
    Response,
    Sampling,
    VlmPolicy,
    load_model,
    load_processor,
)
from reproof.tiny.world import PhoneWorld

if TYPE_CHECKING:
    from tests.engine.conftest import Bench


@dataclass(frozen=True)
class Countdown:
    """A task that ends after `length` steps."""

    task_id: str
    length: int


class CountdownWorld:
    def reset(self, task: Countdown) -> tuple[Messages, dict[str, Any]]:
        self.left = task.length
        return [{"left": self.left}], {}

    def step(self, action: str) -> tuple[Messages, float, bool, bool, dict[str, Any]]:
        self.left -= 1
        return [{"left": self.left}], 1.0, self.left == 0, False, {"stop_reason": "COMPLETE"}


class Echo:
    """Answers with what it was shown."""

    def render(self, messages: Messages) -> Prompt:
        return Prompt(str(messages[0]["left"]), ())

    def respond(self, prompts: Sequence[Prompt], draw: int) -> list[Response]:
        return [Response(prompt.text, ()) for prompt in prompts]


@given(st.lists(st.integers(1, 5), max_size=12), st.integers(1, 15))
def test_every_task_is_played_once_in_order_for_any_batch_size(
    lengths: list[int], batch_size: int
) -> None:
    tasks = [Countdown(str(number), length) for number, length in enumerate(lengths)]
    played = list(rollout(Echo(), CountdownWorld, tasks, batch_size))
    assert [trajectory.task_id for trajectory in played] == [task.task_id for task in tasks]
    for task, trajectory in zip(tasks, played, strict=True):
        shown = [int(step.prompt.text) for step in trajectory.steps]
        assert shown == list(range(task.length, 0, -1))


def answers(bench: "Bench", batch_size: int, temperature: float = 0.0) -> list[Trajectory]:
    sampling = Sampling(temperature, max_new_tokens=8, seed=3)
    policy = VlmPolicy(load_model(bench.model), load_processor(bench.model), sampling)
    return list(rollout(policy, PhoneWorld, bench.tasks, batch_size))


def texts(played: list[Trajectory]) -> list[tuple[str, ...]]:
    return [tuple(step.response.text for step in t.steps) for t in played]


@pytest.mark.parametrize("batch_size", [1, 4])
def test_a_greedy_policy_answers_alike_for_any_batch_size(bench: "Bench", batch_size: int) -> None:
    assert texts(answers(bench, batch_size)) == texts(answers(bench, 6))


def test_sampled_answers_repeat_with_the_seed(bench: "Bench") -> None:
    first, again = (texts(answers(bench, 6, temperature=1.0)) for _ in range(2))
    assert first == again != texts(answers(bench, 6))
