"""Which facts make up each of the three digests of a run.

Every function gives plain JSON, so that a difference can be named and not only
noticed, or an Unknown: a digest over half the facts could equal another by accident.
"""

from collections.abc import Mapping
from typing import Any

from reproof.ground.unknown import Unknown
from reproof.record.artifact import RecordedArtifact
from reproof.record.codec import to_json
from reproof.record.pipeline import Pipeline
from reproof.record.results import ModelResult, RecordedFile, RecordedWeights
from reproof.record.world import Environment, Machine, Setting

Facts = dict[str, Any]


def inputs_facts(pipeline: Pipeline | Unknown, lock_path: str) -> Facts | Unknown:
    """What went in.

    - `given`: path → SHA-256 of the outs of frozen stages (base models, raw pairs).
      How those were made long ago is not part of it.
    - `code`: path → SHA-256 of deps that no stage makes, without the package lock
      file, which belongs to the environment.
    - `params`: stage → file → key → value, as dvc.lock has them.
    - `commands`: stage → command.

    Frozen stages, and stages without outs, add no code, params or command.
    """
    if isinstance(pipeline, Unknown):
        return pipeline
    if pipeline.not_run:
        return Unknown(f"not in dvc.lock yet: {', '.join(pipeline.not_run)}")
    given = _digests(pipeline.given())
    code = _digests({k: v for k, v in pipeline.outside().items() if k != lock_path})
    for part in (given, code):
        if isinstance(part, Unknown):
            return part
    stages = pipeline.makers()
    return {
        "given": given,
        "code": code,
        "params": {stage.name: to_json(stage.params) for stage in stages},
        "commands": {stage.name: stage.cmd for stage in stages},
    }


def environment_facts(environment: Environment) -> Facts | Unknown:
    """What surrounded it.

    - `lock`: SHA-256 of the package lock file; `packages`: name → [locked, installed]
      where the two differ.
    - `python`: implementation and version; `system`: operating system and architecture.
    - `cpu_flags`: sorted; `gpus`: [name, driver] each, null when there is none to be found.
    - `threads` and `switches`: name → what it is pinned to, null when it is not.
      Where OMP_NUM_THREADS is not pinned, `cores` counts too, as it decides the threads.
    """
    packages, machine = environment.packages, environment.machine
    lock, differences, flags = packages.lock_sha256, packages.differences, machine.cpu_flags
    if isinstance(lock, Unknown):
        return lock
    if isinstance(differences, Unknown):
        return differences
    if isinstance(flags, Unknown):
        return flags
    threads = _pinned(environment.threads)
    return {
        "lock": lock,
        "packages": {d.name: [d.locked, d.installed] for d in differences},
        "python": f"{environment.implementation} {environment.python}",
        "system": f"{machine.system} {machine.architecture}",
        "cpu_flags": sorted(flags),
        "gpus": _gpus(machine),
        "threads": threads,
        "switches": _pinned(environment.switches),
        "cores": None if threads.get("OMP_NUM_THREADS") else to_json(machine.cores),
    }


def outputs_facts(
    pipeline: Pipeline | Unknown,
    weights: Mapping[str, RecordedWeights | Unknown],
    dedup: RecordedFile | Unknown,
    results: Mapping[str, ModelResult | Unknown],
) -> Facts | Unknown:
    """What came out.

    - `weights`: path → root over the tensors, of the models that the pipeline made.
    - `pairs`: path → SHA-256 of the outs in the folder of the dedup report.
    - `episodes`: model → SHA-256 of its episodes; `metrics`: model → metrics.
    """
    if isinstance(pipeline, Unknown):
        return pipeline
    if pipeline.not_run:
        return Unknown(f"not in dvc.lock yet: {', '.join(pipeline.not_run)}")
    made = _digests(pipeline.made())
    known = [result for result in results.values() if isinstance(result, ModelResult)]
    episodes = [result.episodes_sha256 for result in known]
    facts = (made, dedup, *weights.values(), *results.values(), *episodes)
    for fact in facts:
        if isinstance(fact, Unknown):
            return fact
    return {
        "weights": _roots(weights, pipeline),
        "pairs": _pairs(pipeline, dedup),
        "episodes": {result.content["model"]: result.episodes_sha256 for result in known},
        "metrics": {result.content["model"]: result.content["metrics"] for result in known},
    }


def _roots(weights: Mapping[str, RecordedWeights | Unknown], pipeline: Pipeline) -> Facts:
    made = pipeline.made()
    return {
        path: model.root
        for path, model in weights.items()
        if path in made and isinstance(model, RecordedWeights)
    }


def _pairs(pipeline: Pipeline, report: RecordedFile | Unknown) -> Facts:
    """What lies in the folder of the dedup report, or is that folder."""
    folder = "" if isinstance(report, Unknown) else report.path.rpartition("/")[0]
    made = pipeline.made().items()
    return {path: to_json(out.sha256) for path, out in made if f"{path}/".startswith(f"{folder}/")}


def _digests(artifacts: Mapping[str, RecordedArtifact]) -> Facts | Unknown:
    """Path → SHA-256, unless one of them is unknown."""
    for path, artifact in artifacts.items():
        if isinstance(artifact.sha256, Unknown):
            return Unknown(f"{path} {artifact.sha256.why}")
    return {path: artifact.sha256 for path, artifact in artifacts.items()}


def _pinned(settings: Mapping[str, Setting]) -> Facts:
    return {name: to_json(setting.pinned) for name, setting in settings.items()}


def _gpus(machine: Machine) -> list[list[str]] | None:
    if isinstance(machine.gpus, Unknown):
        return None
    return [[gpu.name, gpu.driver] for gpu in machine.gpus]
