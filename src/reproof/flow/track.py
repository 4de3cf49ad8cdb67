"""Record a run and copy it to MLflow: from what is on disk, never from what was logged."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from reproof.engine.tracking import Logged, log_pipeline
from reproof.engine.tracking_plan import RunLog, Scalar
from reproof.flow.record import assemble, write_record
from reproof.ground.canon import sha256_of
from reproof.ground.unknown import Unknown
from reproof.record.pipeline import Pipeline, RecordedStage
from reproof.record.record import RunRecord
from reproof.scores.signals import read_signals

_CURVES = (
    "loss",
    "margin",
    "accuracy",
    "logps_chosen",
    "logps_rejected",
    "learning_rate",
    "grad_norm",
)
_NOT_YET = Unknown("the record was not yet told")
_METRICS = ("mean_return", "success", "success_rate", "partial", "n", "n_goals", "errors")


def record_and_track(root: Path, now: datetime) -> Logged:
    """Write run_info/, with where MLflow holds the run or why it does not."""
    run = assemble(root, now, os.environ, _NOT_YET)
    logged = track(root, run, int(now.timestamp() * 1000))
    if logged.warning:
        print(logged.warning, file=sys.stderr)
    where = Unknown(f"not logged: {logged.problem}") if logged.problem else logged.to_json()
    write_record(root, replace(run, mlflow=where))
    return logged


def track(root: Path, run: RunRecord, now_ms: int) -> Logged:
    """Log the pipeline as a parent run and each stage as a child; what is there already stays."""
    stages = [] if isinstance(run.pipeline, Unknown) else list(stage_logs(root, run, run.pipeline))
    ids = {name: value for name, value in _ids(run).items() if isinstance(value, str)}
    pipeline = RunLog(
        stage="pipeline",
        digest=sha256_of(ids),
        params=_flat({} if isinstance(run.params, Unknown) else run.params),
        tags={f"reproof.{name}": value for name, value in ids.items()} | _git_tags(run),
        artifacts=tuple(p for p in _artifacts(root) if p.is_file()),
    )
    return log_pipeline(root, pipeline, stages, now_ms)


def _ids(run: RunRecord) -> dict[str, str | Unknown]:
    return {
        "inputs_id": run.inputs_id,
        "environment_id": run.environment_id,
        "outputs_id": run.outputs_id,
    }


def stage_logs(root: Path, run: RunRecord, pipeline: Pipeline) -> Iterator[RunLog]:
    """What is to be logged of each stage that makes something."""
    for stage in pipeline.makers():
        facts = {
            "cmd": stage.cmd,
            "params": stage.params,
            "deps": {dep.path: dep.md5 for dep in stage.deps},
            "outs": {out.path: out.md5 for out in stage.outs},
        }
        yield RunLog(
            stage=stage.name,
            digest=sha256_of(facts),
            params=_flat(stage.params),
            metrics=_metrics(run, stage),
            curves=_curves(root, stage),
            tags={f"md5 {out.path}": out.md5 for out in stage.outs} | _model_tags(run, stage),
        )


def _metrics(run: RunRecord, stage: RecordedStage) -> dict[str, float]:
    """The same names for every model, so that the five stand side by side."""
    name, _, model = stage.name.partition("@")
    result = run.results.get(model) if name == "evaluate" else None
    if result is None or isinstance(result, Unknown):
        return {}
    metrics: Mapping[str, Any] = result.content["metrics"]
    return {name: float(metrics[name]) for name in _METRICS}


def _model_tags(run: RunRecord, stage: RecordedStage) -> dict[str, str]:
    model = stage.name.partition("@")[2]
    weights = run.weights.get(f"models/{model}")
    if weights is None or isinstance(weights, Unknown):
        return {"reproof.model": model} if model else {}
    return {"reproof.model": model, "reproof.weights": weights.root}


def _curves(root: Path, stage: RecordedStage) -> dict[str, list[tuple[int, float]]]:
    """One point an optimizer step, of a stage that trained."""
    name, _, epoch = stage.name.partition("@")
    if name != "train-epoch":
        return {}
    steps = read_signals(root / f"data/signals/epoch-{epoch}.jsonl", int(epoch))
    return {f"train/{curve}": [(s.step, getattr(s, curve)) for s in steps] for curve in _CURVES}


def _git_tags(run: RunRecord) -> dict[str, str]:
    git = run.git
    if isinstance(git, Unknown) or isinstance(git.commit, Unknown):
        return {}
    return {"mlflow.source.git.commit": git.commit}


def _artifacts(root: Path) -> Iterator[Path]:
    for name in ("comparison.md", "return_by_epoch.png", "training_signals.png"):
        yield root / "data/compare" / name


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, Scalar]:
    """Nested params as dotted names."""
    flat: dict[str, Scalar] = {}
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            flat |= _flat(inner, "" if key == "params.yaml" else f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = inner if isinstance(inner, Scalar) else str(inner)
    return flat
