"""Roll a policy out over many tasks at once: every live episode takes a step together."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from reproof.engine.vlm import Messages, Prompt, Response

TaskT = TypeVar("TaskT")


class Policy(Protocol):
    """What can answer prompts."""

    def render(self, messages: Messages) -> Prompt:
        """The rendered prompt of one step."""

    def respond(self, prompts: Sequence[Prompt], draw: int) -> list[Response]:
        """One answer a prompt; `draw` numbers the call, for sampled answers."""


class World(Protocol):
    """One episode in some world, with Gymnasium's reset and step.

    An observation is a list of chat messages: the world knows how it is shown.
    """

    def reset(self, task: Any) -> tuple[Messages, dict[str, Any]]:
        """Begin a task."""

    def step(self, action: str) -> tuple[Messages, float, bool, bool, dict[str, Any]]:
        """Observation, reward, terminated, truncated, info (with `stop_reason`)."""


@dataclass(frozen=True)
class Step:
    """One decision: the prompt as rendered, and the answer."""

    prompt: Prompt
    response: Response


@dataclass(frozen=True)
class Trajectory:
    """A whole episode of one task; `sample` numbers repeats of the task."""

    task_id: str
    sample: int
    steps: tuple[Step, ...]
    episode_return: float
    stop_reason: str


@dataclass
class _Live:
    """An episode that is still going on."""

    index: int
    task: Any
    world: World
    messages: Messages
    steps: list[Step] = field(default_factory=list)


def rollout(
    policy: Policy,
    new_world: Callable[[], World],
    tasks: Sequence[Any],
    batch_size: int,
    sample: int = 0,
) -> Iterator[Trajectory]:
    """Play every task once, `batch_size` episodes at a time; yields in order of the tasks.

    A finished episode's place is taken by the next task at once.
    """
    waiting = iter(enumerate(tasks))
    live: list[_Live] = []
    done: dict[int, Trajectory] = {}
    given = draw = 0
    while True:
        for index, task in _take(waiting, batch_size - len(live)):
            world = new_world()
            live.append(_Live(index, task, world, world.reset(task)[0]))
        if not live:
            return
        finished = _advance(policy, live, sample * 1_000_003 + draw, sample)
        draw += 1
        done.update(finished)
        live = [episode for episode in live if episode.index not in finished]
        while given in done:
            yield done.pop(given)
            given += 1


def _take(source: Iterator[tuple[int, Any]], count: int) -> list[tuple[int, Any]]:
    return list(itertools.islice(source, count))


def _advance(policy: Policy, live: list[_Live], draw: int, sample: int) -> dict[int, Trajectory]:
    """One step of every live episode; returns those that ended."""
    prompts = [policy.render(episode.messages) for episode in live]
    finished = {}
    for episode, prompt, response in zip(live, prompts, policy.respond(prompts, draw), strict=True):
        episode.steps.append(Step(prompt, response))
        observed = episode.world.step(response.text)
        episode.messages, reward, terminated, truncated, info = observed
        if terminated or truncated:
            finished[episode.index] = Trajectory(
                task_id=episode.task.task_id,
                sample=sample,
                steps=tuple(episode.steps),
                episode_return=reward,
                stop_reason=info["stop_reason"],
            )
    return finished
