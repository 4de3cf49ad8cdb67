"""What a run left on disk, fact by fact. A fact that is not there is Unknown, with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reproof.ground.errors import InputError
from reproof.ground.files import read_json, sha256_file
from reproof.ground.hashes import Hashes, hash_path
from reproof.ground.unknown import Unknown
from reproof.record.agreement import Guards, agreement
from reproof.record.artifact import RecordedArtifact, record_artifact
from reproof.record.guard import reports_of, was_off
from reproof.record.lock import Artifact, StageLock, read_lock
from reproof.record.pipeline import Pipeline, RecordedStage
from reproof.record.plan import read_plans
from reproof.record.results import ModelResult, RecordedFile, RecordedWeights
from reproof.record.weights import read_weights
from reproof.scores.evaluation import read_result
from reproof.scores.signals import StepSignals, read_signals, summarise_epochs

_TAU = 1e-5
_HEADLINE = ("n", "n_goals", "picks", "pareto", "pareto_with_cost", "changes")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The folder of a run and its params. Every path is hashed once, however often it is named."""

    root: Path
    params: Mapping[str, Any]
    _hashed: dict[str, Hashes | None] = field(default_factory=dict)

    def pipeline(self) -> Pipeline | Unknown:
        """Stages of dvc.lock that dvc.yaml still asks for, and those it asks for in vain."""
        for name in ("dvc.yaml", "dvc.lock"):
            if not (self.root / name).is_file():
                return Unknown(f"there is no {name}: run `dvc repro`")
        plans = {plan.name: plan for plan in read_plans(self.root / "dvc.yaml", self.params)}
        locks = [lock for lock in read_lock(self.root / "dvc.lock") if lock.name in plans]
        done = {lock.name for lock in locks}
        return Pipeline(
            tuple(self._stage(lock, plans[lock.name].is_frozen) for lock in locks),
            tuple(name for name, plan in plans.items() if plan.has_outs and name not in done),
        )

    def guards(self, pipeline: Pipeline | Unknown) -> Guards | Unknown:
        """What the guards of the stages saw on this machine, held against dvc.lock."""
        if isinstance(pipeline, Unknown):
            return pipeline
        names = [stage.name for stage in pipeline.makers()]
        try:
            reports = {name: reports_of(self.root, name) for name in names}
        except InputError as error:
            return Unknown(f"the report of a guard cannot be read: {error.rule}")
        off = frozenset(name for name in names if was_off(self.root, name))
        return agreement(pipeline, reports, off)

    def file(self, path: str) -> RecordedFile | Unknown:
        """A JSON file, whole."""
        if not (self.root / path).is_file():
            return Unknown(f"{path} is not there")
        try:
            content = read_json(self.root / path)
        except InputError as error:
            return _unreadable(path, error)
        return RecordedFile(path, sha256_file(self.root / path), content)

    def weights(self) -> dict[str, RecordedWeights | Unknown]:
        """Every model folder with safetensors files in it, by path."""
        folders = {path.parent for path in self.root.glob("models/*/*.safetensors")}
        return {f"models/{folder.name}": _weights(folder) for folder in sorted(folders)}

    def checkpoints(self) -> dict[str, RecordedFile | Unknown]:
        """What the trainer wrote about each epoch."""
        folders = sorted(path for path in self.root.glob("models/epoch-*") if path.is_dir())
        return {path.name: self.file(f"models/{path.name}/checkpoint.json") for path in folders}

    def signals(self) -> dict[str, RecordedFile | Unknown]:
        """A summary an epoch, from the first on; what comes after a gap cannot be judged."""
        epochs: list[tuple[StepSignals, ...]] = []
        found: dict[str, RecordedFile | Unknown] = {}
        while (path := self.root / f"data/signals/epoch-{len(epochs) + 1}.jsonl").is_file():
            try:
                epochs.append(read_signals(path, len(epochs) + 1))
            except InputError as error:
                found[path.stem] = _unreadable(f"data/signals/{path.name}", error)
                break
        tau = self.params.get("compare", {}).get("saturation_tau", _TAU)
        for summary in summarise_epochs(epochs, tau) if epochs else ():
            name = f"data/signals/epoch-{summary.epoch}.jsonl"
            digest = sha256_file(self.root / name)
            short = {key: value for key, value in summary.to_json().items() if key != "curve"}
            found[f"epoch-{summary.epoch}"] = RecordedFile(name, digest, short)
        return found

    def results(self) -> dict[str, ModelResult | Unknown]:
        """The result of every model under data/eval."""
        folders = sorted(path for path in self.root.glob("data/eval/*") if path.is_dir())
        return {folder.name: self._result(folder) for folder in folders}

    def comparison(self) -> RecordedFile | Unknown:
        """The headline: what each metric picks and how the checkpoints compare with the init."""
        whole = self.file("data/compare/comparison.json")
        if isinstance(whole, Unknown) or not isinstance(whole.content, dict):
            return whole
        headline = {key: whole.content[key] for key in _HEADLINE if key in whole.content}
        against = [_versus(entry) for entry in whole.content.get("versus_init", ())]
        return RecordedFile(whole.path, whole.sha256, headline | {"versus_init": against})

    def _stage(self, lock: StageLock, is_frozen: bool) -> RecordedStage:
        deps = tuple(self._artifact(artifact) for artifact in lock.deps)
        outs = tuple(self._artifact(artifact) for artifact in lock.outs)
        return RecordedStage(lock.name, lock.cmd, is_frozen, deps, lock.params, outs)

    def _artifact(self, locked: Artifact) -> RecordedArtifact:
        if locked.path not in self._hashed:
            self._hashed[locked.path] = hash_path(self.root / locked.path)
        return record_artifact(locked, self._hashed[locked.path])

    def _result(self, folder: Path) -> ModelResult | Unknown:
        path, episodes = folder / "result.json", folder / "episodes.parquet"
        shown = f"data/eval/{folder.name}"
        if not path.is_file():
            return Unknown(f"{shown}/result.json is not there")
        try:
            result = read_result(path)
        except InputError as error:
            return _unreadable(f"{shown}/result.json", error)
        if result.model != folder.name:
            return Unknown(f"{shown}/result.json is the result of {result.model}")
        digest = _digest(episodes, f"{shown}/episodes.parquet")
        if digest != result.episodes_sha256 and not isinstance(digest, Unknown):
            return Unknown(f"{shown}/episodes.parquet is not what result.json was made from")
        return ModelResult(
            path=f"{shown}/result.json",
            sha256=sha256_file(path),
            content=result.to_json(),
            episodes_path=f"{shown}/episodes.parquet",
            episodes_sha256=digest,
        )


def _weights(folder: Path) -> RecordedWeights | Unknown:
    try:
        weights = read_weights(folder)
    except InputError as error:
        return _unreadable(Path(error.where).name, error)
    return RecordedWeights(weights.root, len(weights.tensors), weights.files)


def _digest(path: Path, shown: str) -> str | Unknown:
    return sha256_file(path) if path.is_file() else Unknown(f"{shown} is not there")


def _versus(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on one model without the forty numbers behind it."""
    pair = entry.get("pair", {})
    numbers = {key: pair[key] for key in ("difference", "p_holm") if key in pair}
    return {"model": entry.get("model"), "verdict": entry.get("verdict")} | numbers


def _unreadable(path: str, error: InputError) -> Unknown:
    """The path as the project names it: where the project lies is nobody's business."""
    return Unknown(f"{path} cannot be read: {error.rule}")
