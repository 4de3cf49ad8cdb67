"""What is to be told to a tracking server, as values: no server and no MLflow in here."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from reproof.ground.secrets import clean, without_secrets

T = TypeVar("T")
Scalar = str | int | float | bool | None
Curve = Sequence[tuple[int, float]]

PIPELINE_TAG = "reproof.pipeline"
STAGE_TAG = "reproof.stage"
DIGEST_TAG = "reproof.digest"
COMPLETE_TAG = "reproof.complete"
NOT_FINITE_TAG = "reproof.not_finite"

# MLflow's limits. Longer texts would be cut or refused by the server, so they are cut here.
_METRICS_PER_BATCH, _TEXTS_PER_BATCH = 900, 100
_LONGEST_KEY, _LONGEST_PARAM, _LONGEST_TAG = 250, 6000, 8000


@dataclass(frozen=True, slots=True)
class RunLog:
    """One run to log: the pipeline as a whole, or one of its stages.

    Two logs with equal `stage` and `digest` are the same run; the digest therefore covers what
    went in and what came out. `curves` hold one value a step; `seconds` is how long it took.
    """

    stage: str
    digest: str
    params: Mapping[str, Scalar] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    curves: Mapping[str, Curve] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    artifacts: tuple[Path, ...] = ()
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """One value of one metric."""

    key: str
    value: float
    step: int


@dataclass(frozen=True, slots=True)
class Batch:
    """What goes to the server in one request."""

    points: tuple[Point, ...] = ()
    params: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """One run as the server will see it: name and tags at its start, then batches."""

    name: str
    tags: Mapping[str, str]
    batches: tuple[Batch, ...]


def plan_run(run: RunLog, pipeline: str) -> Plan:
    """Split a run into requests that a server accepts, without secrets.

    NaN and infinities are left out, since a server stores them as other numbers; which metrics
    had them is said in a tag. Equal runs give equal plans, in whatever order their values came.
    """
    points = sorted(_points(run), key=lambda point: (point.key, point.step))
    finite = tuple(point for point in points if math.isfinite(point.value))
    lost = sorted({point.key for point in points if not math.isfinite(point.value)})
    params = tuple(sorted(_texts(run.params, _LONGEST_PARAM).items()))
    batches = (
        *(Batch(points=chunk) for chunk in _chunks(finite, _METRICS_PER_BATCH)),
        *(Batch(params=chunk) for chunk in _chunks(params, _TEXTS_PER_BATCH)),
    )
    return Plan(run.stage, _tags(run, pipeline, lost), batches)


def _tags(run: RunLog, pipeline: str, lost: Sequence[str]) -> dict[str, str]:
    own = _texts(run.tags, _LONGEST_TAG)
    ours = {PIPELINE_TAG: pipeline, STAGE_TAG: run.stage, DIGEST_TAG: run.digest}
    not_finite = {NOT_FINITE_TAG: ", ".join(lost)[:_LONGEST_TAG]} if lost else {}
    return {**own, **ours, **not_finite}


def _points(run: RunLog) -> Iterator[Point]:
    for key, value in run.metrics.items():
        yield Point(_key(key), float(value), 0)
    for key, curve in run.curves.items():
        for step, value in curve:
            yield Point(_key(key), float(value), step)


def _key(name: str) -> str:
    """MLflow allows letters, digits and a few signs in a name."""
    return re.sub(r"[^/\w.\- :]", "_", without_secrets(name))[:_LONGEST_KEY]


def _texts(values: Mapping[str, Scalar], longest: int) -> dict[str, str]:
    """Names and values as a server takes them, without the secrets in either."""
    shown = clean(dict(values)).value
    return {_key(name): str(value)[:longest] for name, value in shown.items()}


def _chunks(items: Sequence[T], size: int) -> Iterator[tuple[T, ...]]:
    for start in range(0, len(items), size):
        yield tuple(items[start : start + size])
