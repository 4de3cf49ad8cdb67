"""Put together the record of a run from what is on disk, and write it as JSON and as text."""

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from reproof.flow.evidence import Evidence
from reproof.ground.files import read_yaml, write_json, write_whole
from reproof.ground.pins import GUARD, OFF, pinned_environment
from reproof.ground.unknown import Unknown
from reproof.probe.git import probe_git
from reproof.probe.machine import probe_machine, probe_switches, probe_threads
from reproof.probe.packages import LOCK, probe_packages, probe_python
from reproof.record.masking import without_secrets
from reproof.record.pipeline import Pipeline
from reproof.record.record import RunRecord
from reproof.record.world import Environment
from reproof.render.run_info import run_info_text

FOLDER = Path("run_info")
_NOT_LOGGED = Unknown("nobody told the record where the run was logged")
_SOURCES = {
    "git": "git, asked in the project's folder; dvc.lock, run_info, .gitignore files and outs of "
    "the pipeline are generated and make no tree dirty",
    "pipeline": "dvc.lock and dvc.yaml, each path hashed again on disk",
    "guards": ".dvc/tmp/reproof, where the guard of each stage left what it saw on this machine",
    "params": "params.yaml",
    "seeds": "params.yaml, every key that is `seed` or ends in `_seed`",
    "environment.python": "the interpreter that wrote the record",
    "environment.packages": f"the installed packages and {LOCK}",
    "environment.machine": "the operating system, /proc, and nvidia-smi where there is one",
    "environment.threads": "environment variables as a stage gets them, by an allow-list",
    "environment.switches": "environment variables as a stage gets them, by an allow-list",
    "inputs": "data/inputs.json, as the makers of the shipped inputs left it",
    "dedup": "data/dedup/report.json",
    "weights": "models/*/*.safetensors, every tensor hashed",
    "checkpoints": "models/epoch-*/checkpoint.json, as the trainer left it",
    "signals": "data/signals/epoch-*.jsonl, in short",
    "results": "data/eval/*/result.json, held against the episodes beside it",
    "comparison": "data/compare/comparison.json, in short",
    "mlflow": "what the tracking server answered when the run was logged",
}


def record(
    root: Path,
    now: datetime,
    environ: Mapping[str, str] = os.environ,
    mlflow: Mapping[str, Any] | Unknown = _NOT_LOGGED,
) -> RunRecord:
    """Write run_info/run_info.json and run_info.txt; each is replaced in one move.

    Works on any part of a run: what is not there is Unknown, with the reason. Raises
    InputError only for a dvc.lock or dvc.yaml that cannot be understood, DiskError when
    the files cannot be written. What is written, and returned, has its secrets masked.
    """
    run = without_secrets(assemble(root, now, environ, mlflow))
    write_record(root, run)
    return run


def write_record(root: Path, run: RunRecord) -> None:
    """Both files of a record that is put together already."""
    write_json(root / FOLDER / "run_info.json", run.to_json())
    write_whole(root / FOLDER / "run_info.txt", run_info_text(run))


def assemble(
    root: Path, now: datetime, environ: Mapping[str, str], mlflow: Mapping[str, Any] | Unknown
) -> RunRecord:
    """The record as a value, secrets and all: not for anybody's eyes; reads only."""
    params = _params(root)
    evidence = Evidence(root, {} if isinstance(params, Unknown) else params)
    pipeline = evidence.pipeline()
    outs = pipeline.made() if isinstance(pipeline, Pipeline) else ()
    return RunRecord(
        created=now.astimezone(UTC).isoformat(timespec="seconds"),
        reproof_version=_version(),
        git=probe_git(root, outs),
        pipeline=pipeline,
        params=params,
        seeds=params if isinstance(params, Unknown) else _seeds(params),
        environment=_environment(root, stage_environment(evidence.params, environ)),
        inputs=evidence.file("data/inputs.json"),
        dedup=evidence.file("data/dedup/report.json"),
        weights=evidence.weights(),
        checkpoints=evidence.checkpoints(),
        signals=evidence.signals(),
        results=evidence.results(),
        comparison=evidence.comparison(),
        mlflow=mlflow,
        sources=_SOURCES,
        guards=evidence.guards(pipeline),
    )


def stage_environment(params: Mapping[str, Any], environ: Mapping[str, str]) -> Mapping[str, str]:
    """The environment that a stage's door starts its process with.

    `reproof record` by hand is not started through a door, and must say the same.
    """
    if params.get("scale") != "tiny" or environ.get(GUARD) == OFF:
        return environ
    return pinned_environment(environ, platform.machine())


def _environment(root: Path, environ: Mapping[str, str]) -> Environment:
    implementation, version = probe_python()
    return Environment(
        python=version,
        implementation=implementation,
        packages=probe_packages(root),
        machine=probe_machine(),
        threads=probe_threads(environ),
        switches=probe_switches(environ),
    )


def _params(root: Path) -> Mapping[str, Any] | Unknown:
    path = root / "params.yaml"
    if not path.is_file():
        return Unknown("there is no params.yaml")
    values = read_yaml(path)
    return values if isinstance(values, dict) else Unknown("params.yaml is no section of keys")


def _seeds(params: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Every value whose key says that it is a seed, by its dotted name."""
    found: dict[str, Any] = {}
    for key, value in params.items():
        if isinstance(value, Mapping):
            found |= _seeds(value, f"{prefix}{key}.")
        elif key == "seed" or key.endswith("_seed"):
            found[f"{prefix}{key}"] = value
    return found


def _version() -> str | Unknown:
    try:
        return metadata.version("reproof")
    except metadata.PackageNotFoundError:
        return Unknown("reproof is not installed, it runs from its source")
