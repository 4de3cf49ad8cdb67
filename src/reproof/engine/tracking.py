"""Tell MLflow about a pipeline run: one parent, one child a stage, each of them once.

What is logged is read from disk by the caller, so a later call fills in whatever an earlier one
could not say. A server that cannot be reached costs a warning, never a stage.
"""

import logging
import os
import socket
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from reproof.engine.tracking_plan import (
    COMPLETE_TAG,
    DIGEST_TAG,
    PIPELINE_TAG,
    STAGE_TAG,
    Batch,
    RunLog,
    plan_run,
)
from reproof.ground.secrets import without_secrets

if TYPE_CHECKING:
    from mlflow import MlflowClient

EXPERIMENT = "reproof"
PATIENCE_S = 3.0
_PARENT_TAG = "mlflow.parentRunId"


@dataclass(frozen=True, slots=True)
class Logged:
    """What MLflow was told: newly logged stages, those it knew, and why not, if not."""

    uri: str
    new: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    problem: str | None = None

    @property
    def warning(self) -> str | None:
        """One line for the user, or None if all is well."""
        if self.problem is None:
            return None
        return f"MLflow was not told: {self.problem}; the results are complete without it"

    def to_json(self) -> dict[str, object]:
        """For run_info: where it was logged, or why it was not."""
        if self.problem is not None:
            return {"unknown": f"not logged: {self.problem}"}
        return {"stages": sorted({*self.new, *self.known}), "uri": self.uri}


def tracking_uri(root: Path) -> str:
    """MLFLOW_TRACKING_URI, or a local database in the repository."""
    return os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{root.resolve()}/mlflow.db"


def log_pipeline(root: Path, pipeline: RunLog, stages: Sequence[RunLog], now_ms: int) -> Logged:
    """Log a pipeline run and its stages; what the server holds complete is left alone.

    The parent is found by `pipeline.digest`, a stage by parent, name and digest, so a repetition
    adds nothing, and a stage that came out differently stands beside its former self. `now_ms` is
    the time in milliseconds since 1970. Never raises for a server: see `Logged.problem`.
    """
    uri = tracking_uri(root)
    shown = "sqlite:///mlflow.db" if "MLFLOW_TRACKING_URI" not in os.environ else uri
    shown = without_secrets(shown)
    wanted = {stage.digest for stage in stages}
    if wanted <= _known_in_sqlite(uri, pipeline.digest):
        return Logged(shown, known=tuple(stage.stage for stage in stages))
    if problem := _unreachable(uri):
        return Logged(shown, problem=without_secrets(problem))
    try:
        return _log(root, uri, shown, pipeline, stages, now_ms)
    except ImportError as error:  # no MLflow, or no driver for this kind of database
        return Logged(shown, problem=_reason(error))


def _log(
    root: Path, uri: str, shown: str, pipeline: RunLog, stages: Sequence[RunLog], now_ms: int
) -> Logged:
    from alembic.util.exc import CommandError
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    new: list[str] = []
    known: list[str] = []
    try:
        client = _client(uri)
        book = _Book(client, _experiment(client, root, uri), pipeline, now_ms)
        parent = book.parent()
        for stage in stages:
            (new if book.child(stage, parent) else known).append(stage.stage)
    except (MlflowException, SQLAlchemyError, CommandError, OSError) as error:
        return Logged(shown, tuple(new), tuple(known), _reason(error))
    return Logged(shown, tuple(new), tuple(known))


def _reason(error: Exception) -> str:
    first = str(error).strip().splitlines()
    return without_secrets(first[0] if first else type(error).__name__)


def _client(uri: str) -> "MlflowClient":
    # A server that is down is found out in seconds, unless the user asked for more patience.
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "15")
    from mlflow import MlflowClient

    for noisy in ("alembic", "mlflow"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    return MlflowClient(tracking_uri=uri)


def _experiment(client: "MlflowClient", root: Path, uri: str) -> str:
    name = os.environ.get("MLFLOW_EXPERIMENT_NAME") or EXPERIMENT
    if found := client.get_experiment_by_name(name):
        return str(found.experiment_id)
    local = uri.startswith("sqlite:")
    location = (root.resolve() / "mlruns").as_uri() if local else None
    return str(client.create_experiment(name, artifact_location=location))


@dataclass(frozen=True, slots=True)
class _Book:
    """One pipeline run in one experiment of a server."""

    client: "MlflowClient"
    experiment: str
    pipeline: RunLog
    now_ms: int

    def parent(self) -> str:
        """The pipeline's own run. Not by MLFLOW_RUN_ID: that puts every stage into one run."""
        for run in self._find(self.pipeline):
            return str(run.info.run_id)
        return self._write(self.pipeline, {})

    def child(self, stage: RunLog, parent: str) -> bool:
        """Log a stage unless it is there; one that was broken off is removed first."""
        for run in self._find(stage):
            if run.data.tags.get(COMPLETE_TAG) == "true":
                return False
            self.client.delete_run(run.info.run_id)
        self._write(stage, {_PARENT_TAG: parent})
        return True

    def _find(self, run: RunLog) -> Sequence[Any]:
        tags = {
            PIPELINE_TAG: self.pipeline.digest,
            STAGE_TAG: run.stage,
            DIGEST_TAG: run.digest,
        }
        query = " and ".join(f"tags.`{key}` = '{value}'" for key, value in tags.items())
        found: Sequence[Any] = self.client.search_runs([self.experiment], query)
        return found

    def _write(self, run: RunLog, tags: Mapping[str, str]) -> str:
        plan = plan_run(run, self.pipeline.digest)
        begun = self.now_ms - round(1000 * (run.seconds or 0))
        all_tags = {**plan.tags, **tags}
        created = self.client.create_run(self.experiment, begun, all_tags, plan.name)
        run_id = str(created.info.run_id)
        for batch in plan.batches:
            self._send(run_id, batch)
        for path in run.artifacts:
            self.client.log_artifact(run_id, str(path))
        self.client.set_terminated(run_id, "FINISHED", self.now_ms)
        self.client.set_tag(run_id, COMPLETE_TAG, "true")
        return run_id

    def _send(self, run_id: str, batch: Batch) -> None:
        from mlflow.entities import Metric, Param

        points = [Metric(point.key, point.value, self.now_ms, point.step) for point in batch.points]
        self.client.log_batch(run_id, points, [Param(key, value) for key, value in batch.params])


def _unreachable(uri: str) -> str | None:
    """Why no connection to a server is possible, found out before MLflow is imported."""
    parts = urlsplit(uri)
    if parts.scheme not in ("http", "https"):
        return None
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        socket.create_connection((parts.hostname or "", port), PATIENCE_S).close()
    except ValueError as error:
        return f"{uri} is no address ({error})"
    except OSError as error:
        return f"no connection to {uri} ({(error.strerror or str(error)).lower()})"
    return None


def _known_in_sqlite(uri: str, pipeline: str) -> frozenset[str]:
    """The digests that a local database holds complete, asked for without importing MLflow.

    Importing it takes seconds, which a run with nothing new to say should not cost. Whatever
    cannot be read this way counts as not there, and MLflow is asked.
    """
    path = Path(uri.removeprefix("sqlite:///").partition("?")[0])
    if not uri.startswith("sqlite:///") or not path.is_file():
        return frozenset()
    query = """
        SELECT digest.value FROM tags AS digest
        JOIN tags AS pipeline ON pipeline.run_uuid = digest.run_uuid AND pipeline.key = ?
        JOIN tags AS complete ON complete.run_uuid = digest.run_uuid AND complete.key = ?
        JOIN runs ON runs.run_uuid = digest.run_uuid AND runs.lifecycle_stage = 'active'
        WHERE digest.key = ? AND pipeline.value = ? AND complete.value = 'true'
    """
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            values = (PIPELINE_TAG, COMPLETE_TAG, DIGEST_TAG, pipeline)
            return frozenset(row[0] for row in database.execute(query, values))
    except sqlite3.Error:
        return frozenset()
