"""One model under one protocol, in a few numbers; comparable only under equal protocols."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from reproof.ground.errors import InputError
from reproof.ground.files import read_json
from reproof.ground.unknown import Unknown, is_unknown_json, plain
from reproof.scores import strict
from reproof.scores.episode import EpisodeResult

DEFINITION = {
    "n": "episodes that count: under the error policy `zero` broken ones too, under `skip` not",
    "n_goals": "whole goals among them; the variants of one goal are no independent evidence",
    "mean_return": "sum of the returns / n",
    "success": "episodes with a return of 1 (to 1e-9)",
    "success_rate": "success / n",
    "partial": "episodes with a return over 0 that are no success",
    "errors": "episodes that broke",
}
"""Goes with the numbers: other tools use the same names for other things."""

ERROR_POLICIES = ("refuse", "zero", "skip")
_SLACK = 1e-9
_COUNTS = ("n_tasks", "group_size", "max_new_tokens", "batch_size")


class Difference(NamedTuple):
    """A field of the protocol on which two results disagree."""

    field: str
    ours: str | int | float
    theirs: str | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """Everything that changes what a score means. Any field may be Unknown, with the reason.

    `judge` is the definition of the return. `max_steps` may be the text
    "per task". `batch_size` belongs here, as kernels round differently by batch.
    """

    env_id: str | Unknown
    env_version: str | Unknown
    split: str | Unknown
    task_set_digest: str | Unknown
    n_tasks: int | Unknown
    temperature: float | Unknown
    max_steps: int | str | Unknown
    max_new_tokens: int | Unknown
    group_size: int | Unknown
    batch_size: int | Unknown
    rendering_digest: str | Unknown
    judge: str | Unknown
    error_policy: str | Unknown

    def differences(self, other: "Protocol") -> tuple[Difference, ...]:
        """The fields that both know and on which they disagree."""
        pairs = ((f.name, getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return tuple(
            Difference(name, ours, theirs)
            for name, ours, theirs in pairs
            if not isinstance(ours, Unknown) and not isinstance(theirs, Unknown) and ours != theirs
        )

    def unknown_fields(self) -> tuple[str, ...]:
        """The fields that nobody recorded: on these, two results cannot be said to agree."""
        names = (f.name for f in fields(self))
        return tuple(name for name in names if isinstance(getattr(self, name), Unknown))

    def to_json(self) -> dict[str, Any]:
        """A field a key; an unknown one as `{"unknown": "why"}`."""
        value: dict[str, Any] = plain(self)
        return value

    @classmethod
    def from_json(cls, where: str, value: Any) -> "Protocol":
        """Parse what `to_json` gave; InputError names the field."""
        names = [f.name for f in fields(cls)]
        raw = strict.mapping(f"{where}, protocol", value, names)
        return cls(**{name: _protocol_value(where, name, raw[name]) for name in names})


@dataclass(frozen=True, slots=True)
class EvalResult:
    """How good one model is. The counts and rates are defined in DEFINITION."""

    model: str
    protocol: Protocol
    n: int
    n_goals: int
    mean_return: float
    success: int
    success_rate: float
    partial: int
    errors: int
    episodes_sha256: str

    def to_json(self) -> dict[str, Any]:
        """The content of result.json."""
        counts = ("n", "n_goals", "success", "partial", "errors")
        metrics = {name: getattr(self, name) for name in (*counts, "mean_return", "success_rate")}
        return {
            "model": self.model,
            "protocol": self.protocol.to_json(),
            "definition": DEFINITION,
            "metrics": metrics,
            "episodes_sha256": self.episodes_sha256,
        }

    @classmethod
    def from_json(cls, where: str, value: Any) -> "EvalResult":
        """Parse what `to_json` gave, and refuse numbers that contradict one another."""
        names = ("model", "protocol", "definition", "metrics", "episodes_sha256")
        raw = strict.mapping(where, value, names)
        if raw["definition"] != DEFINITION:
            strict.refuse(f"{where}, definition", "is not the one this version uses")
        metrics = strict.mapping(f"{where}, metrics", raw["metrics"], DEFINITION)
        for name, number in metrics.items():
            if name in ("mean_return", "success_rate"):
                strict.number(f"{where}, {name}", number)
            else:
                strict.count(f"{where}, {name}", number)
        result = cls(
            model=strict.text(f"{where}, model", raw["model"]),
            protocol=Protocol.from_json(where, raw["protocol"]),
            episodes_sha256=strict.text(f"{where}, episodes_sha256", raw["episodes_sha256"]),
            **metrics,
        )
        _check_bounds(where, result)
        return result


def read_result(path: Path) -> EvalResult:
    """Read a result.json strictly."""
    return EvalResult.from_json(str(path), read_json(path))


def summarise(
    model: str, protocol: Protocol, episodes: Sequence[EpisodeResult], episodes_sha256: str
) -> EvalResult:
    """Count and average episodes as the protocol's error policy says.

    InputError when there is an error under the policy `refuse`, nothing to count, or
    another number of tasks than the protocol says.
    """
    scored = scored_returns(model, protocol, episodes)
    _check_tasks(model, protocol, episodes)
    success = sum(bool(episode.success) for episode in episodes)
    counted = [episode for episode in episodes if (episode.task_id, episode.sample) in scored]
    return EvalResult(
        model=model,
        protocol=protocol,
        n=len(scored),
        n_goals=len({episode.group or episode.task_id for episode in counted}),
        # fsum: the order of the rows must not show in the last digit
        mean_return=math.fsum(scored.values()) / len(scored),
        success=success,
        success_rate=success / len(scored),
        partial=sum(episode.is_partial for episode in episodes),
        errors=sum(episode.error is not None for episode in episodes),
        episodes_sha256=episodes_sha256,
    )


def scored_returns(
    where: str, protocol: Protocol, episodes: Sequence[EpisodeResult]
) -> dict[tuple[str, int], float]:
    """Return by (task, sample), after the error policy; `where` goes into messages."""
    policy = protocol.error_policy
    if policy not in ERROR_POLICIES:
        rule = f"error_policy is {policy!r}, must be one of {', '.join(ERROR_POLICIES)}"
        raise InputError(where, rule, "say what a broken episode counts as")
    scored: dict[tuple[str, int], float] = {}
    for episode in episodes:
        key = (episode.task_id, episode.sample)
        if episode.episode_return is not None:
            scored[key] = episode.episode_return
        elif policy == "zero":
            scored[key] = 0.0
        elif policy == "refuse":
            place = f"{where}, task {episode.task_id!r}"
            rule = f"the episode broke ({episode.error}) and the error policy is `refuse`"
            raise InputError(place, rule, "run the task again or choose another error policy")
    if not scored:
        raise InputError(where, "no episode counts", "run the evaluation again")
    return scored


def _check_tasks(where: str, protocol: Protocol, episodes: Sequence[EpisodeResult]) -> None:
    """An evaluation that stopped half-way must not pass for a whole one."""
    tasks = len({episode.task_id for episode in episodes})
    if not isinstance(protocol.n_tasks, Unknown) and tasks != protocol.n_tasks:
        strict.refuse(where, f"has {tasks} tasks, the protocol says {protocol.n_tasks}")


def _check_bounds(where: str, result: EvalResult) -> None:
    """No set of episodes can give a mean outside [success, success + partial] / n."""
    low, high = (
        result.success / max(result.n, 1),
        (result.success + result.partial) / max(result.n, 1),
    )
    if result.n == 0:
        strict.refuse(where, "n is 0")
    if high > 1:
        strict.refuse(where, f"success + partial = {result.success + result.partial} of {result.n}")
    if abs(result.success_rate - low) > _SLACK:
        strict.refuse(
            where, f"success_rate {result.success_rate} is not {result.success}/{result.n}"
        )
    if not low - _SLACK <= result.mean_return <= high + _SLACK:
        rule = f"mean_return {result.mean_return} is outside what the counts allow"
        strict.refuse(where, f"{rule}, [{low:.4f}, {high:.4f}]")


def _protocol_value(where: str, name: str, value: Any) -> Any:
    place = f"{where}, protocol, {name}"
    if is_unknown_json(value):
        return Unknown(value["unknown"])
    if name in _COUNTS:
        return strict.count(place, value)
    if name == "temperature":
        return strict.number(place, value)
    if name == "max_steps" and not isinstance(value, str):
        return strict.count(place, value)
    return strict.text(place, value)
