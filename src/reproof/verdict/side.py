"""One of the two results that a check sets side by side: a run's, or a baseline's."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reproof.ground.unknown import Unknown
from reproof.record.record import RunRecord
from reproof.scores.episode import EpisodeResult
from reproof.scores.evaluation import EvalResult, Protocol, scored_returns

_PUBLISHED_SLACK = 5e-5
"""Tables give four digits: a mean may be that far outside what its counts allow."""


@dataclass(frozen=True, slots=True)
class TaskReturn:
    """Return of one attempt at one task, in [0, 1]; `group` is the whole goal, if known."""

    task_id: str
    sample: int
    episode_return: float
    group: str | None

    @property
    def key(self) -> tuple[str, int]:
        """What makes it one row."""
        return self.task_id, self.sample


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The digests of the run behind a result, the facts under them, and its schedule.

    `horizon_epochs` is the length the learning-rate schedule was made for: the
    first epoch of a run of three is not a run of one epoch.
    """

    inputs_id: str | Unknown
    environment_id: str | Unknown
    outputs_id: str | Unknown
    inputs: Mapping[str, Any] | Unknown
    environment: Mapping[str, Any] | Unknown
    horizon_epochs: int | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A result: under which protocol, what came out, per task where known, from which run.

    `success` counts episodes with a return of 1, `partial` those between 0 and 1.
    """

    model: str
    protocol: Protocol
    n: int
    mean_return: float
    success: int
    partial: int | Unknown
    tasks: tuple[TaskReturn, ...] | Unknown
    run: RunFacts | Unknown


def side_of_result(
    result: EvalResult, tasks: tuple[TaskReturn, ...] | Unknown, run: RunFacts | Unknown
) -> Side:
    """What a run's own evaluation says."""
    return Side(
        model=result.model,
        protocol=result.protocol,
        n=result.n,
        mean_return=result.mean_return,
        success=result.success,
        partial=result.partial,
        tasks=tasks,
        run=run,
    )


def task_returns(
    where: str, protocol: Protocol, episodes: Sequence[EpisodeResult]
) -> tuple[TaskReturn, ...]:
    """The episodes that count under the protocol's error policy, sorted by task."""
    scored = scored_returns(where, protocol, episodes)
    groups = {episode.task_id: episode.group for episode in episodes}
    return tuple(
        TaskReturn(task, sample, scored[task, sample], groups[task])
        for task, sample in sorted(scored)
    )


def run_facts(record: RunRecord, model: str) -> RunFacts:
    """What a record says about the run behind one of its models."""
    return RunFacts(
        inputs_id=record.inputs_id,
        environment_id=record.environment_id,
        outputs_id=record.outputs_id,
        inputs=record.inputs_facts(),
        environment=record.environment_facts(),
        horizon_epochs=_horizon(record, model),
    )


def problems(side: Side) -> Iterator[str]:
    """Every reason why the numbers of a side cannot be true."""
    if side.n < 1:
        yield "n is 0: there is nothing to compare"
        return
    if not math.isfinite(side.mean_return):
        yield f"mean_return is {side.mean_return}, must be finite"
        return
    if not 0 <= side.mean_return <= 1:
        hint = "; is it a percentage?" if 1 < side.mean_return <= 100 else ""
        yield f"mean_return is {side.mean_return}, must lie in [0, 1]{hint}"
        return
    yield from _contradictions(side)


def _contradictions(side: Side) -> Iterator[str]:
    """No set of returns has a mean outside [success, success + partial] / n."""
    partial = side.n - side.success if isinstance(side.partial, Unknown) else side.partial
    if not 0 <= side.success <= side.n or side.success + partial > side.n:
        yield f"success {side.success} and partial {partial} do not fit n {side.n}"
        return
    low, high = side.success / side.n, (side.success + partial) / side.n
    if side.mean_return < low - _PUBLISHED_SLACK:
        rule = f"mean_return {side.mean_return:.4f} is below success / n"
        yield f"{rule} = {low:.4f}: the two contradict each other"
    if side.mean_return > high + _PUBLISHED_SLACK:
        rule = f"mean_return {side.mean_return:.4f} is above (success + partial) / n"
        yield f"{rule} = {high:.4f}: the two contradict each other"


def _horizon(record: RunRecord, model: str) -> int | Unknown:
    checkpoint = record.checkpoints.get(model, Unknown(f"{model} has no checkpoint.json"))
    if isinstance(checkpoint, Unknown):
        return checkpoint
    horizon = checkpoint.content.get("horizon_epochs")
    return horizon if type(horizon) is int else Unknown("checkpoint.json does not say")
