"""run_info.txt: the record for people. It says what the record says, and nothing else."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reproof.ground.unknown import Unknown, is_unknown_json
from reproof.record.agreement import Guards
from reproof.record.artifact import RecordedArtifact
from reproof.record.pipeline import Pipeline, RecordedStage
from reproof.record.record import SCHEMA_VERSION, RunRecord
from reproof.record.results import ModelResult, RecordedFile, RecordedWeights
from reproof.record.world import Environment, GitState, Machine, Packages, Setting

_WIDTH = 13
_METRICS = ("n", "mean_return", "success", "success_rate", "partial", "errors")

Lines = Iterator[str]


def run_info_text(record: RunRecord) -> str:
    """The whole text, ending in a newline."""
    sections = (
        ("RUN", _run(record)),
        ("CODE", _code(record.git)),
        ("RESULTS", _results(record.results)),
        ("COMPARISON", _file(record.comparison)),
        ("TRAINING SIGNALS", _files(record.signals)),
        ("CHECKPOINTS", _files(record.checkpoints)),
        ("WEIGHTS", _weights(record.weights)),
        ("DEDUP", _file(record.dedup)),
        ("GIVEN INPUTS", _file(record.inputs)),
        ("PARAMS", _mapping(record.params)),
        ("SEEDS", _mapping(record.seeds)),
        ("STAGES", _stages(record.pipeline)),
        ("GUARDS", _guards(record.guards)),
        ("ENVIRONMENT", _environment(record.environment)),
        ("MLFLOW", _mapping(record.mlflow)),
        ("WHERE EACH FACT CAME FROM", _mapping(record.sources)),
    )
    return "\n".join("\n".join((title, *_indented(lines), "")) for title, lines in sections)


def _run(record: RunRecord) -> Lines:
    yield _fact("written", record.created)
    yield _fact("by", f"reproof {_known(record.reproof_version)}, schema {SCHEMA_VERSION}")
    yield _fact("inputs", record.inputs_id)
    yield _fact("environment", record.environment_id)
    yield _fact("outputs", record.outputs_id)
    if record.masked:
        yield _fact("masked", f"{record.masked.count} secrets, shown as ***; the ids cover them")


def _code(git: GitState | Unknown) -> Lines:
    if isinstance(git, Unknown):
        yield _known(git)
        return
    yield _fact("commit", git.commit)
    yield _fact("branch", git.branch)
    yield _fact("remote", git.remote)
    yield _fact("tree", "dirty" if git.is_dirty else "clean")
    yield from (f"  {change.kind:<10} {change.path}" for change in git.changes)
    if git.generated_changes:
        yield _fact("generated", "changed, but no edit of the code")
        yield from (f"  {change.kind:<10} {change.path}" for change in git.generated_changes)


def _results(results: Mapping[str, ModelResult | Unknown]) -> Lines:
    if not results:
        yield "none yet"
        return
    rows = [["model", *_METRICS]]
    rows += [_result_cells(name, result) for name, result in results.items()]
    yield from _table(rows)
    for name, result in results.items():
        if isinstance(result, ModelResult):
            yield _fact(name, f"{result.path} sha256 {result.sha256}")
            yield _fact("", f"{result.episodes_path} sha256 {_known(result.episodes_sha256)}")


def _result_cells(name: str, result: ModelResult | Unknown) -> list[str]:
    if isinstance(result, Unknown):
        return [name, _known(result)]
    metrics = result.content["metrics"]
    return [name, *(_number(metrics.get(key)) for key in _METRICS)]


def _weights(weights: Mapping[str, RecordedWeights | Unknown]) -> Lines:
    if not weights:
        yield "none yet"
    for path, model in weights.items():
        if isinstance(model, Unknown):
            yield _fact(path, model)
            continue
        yield _fact(path, f"root {model.root}, {model.n_tensors} tensors")
        yield from (_fact("", f"{file.path} sha256 {file.sha256}") for file in model.files)


def _stages(pipeline: Pipeline | Unknown) -> Lines:
    if isinstance(pipeline, Unknown):
        yield _known(pipeline)
        return
    for stage in pipeline.stages:
        yield from _stage(stage)
    if pipeline.not_run:
        yield _fact("not run yet", ", ".join(pipeline.not_run))


def _stage(stage: RecordedStage) -> Lines:
    yield f"{stage.name}{' (frozen)' if stage.is_frozen else ''}"
    yield from (f"  $ {line}" for line in stage.cmd.splitlines())
    for path, values in stage.params.items():
        yield from (f"  param {path} {line}" for line in _leaves(values))
    yield from (f"  dep {_artifact(artifact)}" for artifact in stage.deps)
    yield from (f"  out {_artifact(artifact)}" for artifact in stage.outs)


def _artifact(artifact: RecordedArtifact) -> str:
    return f"{artifact.path} md5 {artifact.md5} sha256 {_known(artifact.sha256)}"


def _guards(guards: Guards | Unknown) -> Lines:
    if isinstance(guards, Unknown):
        yield _known(guards)
        return
    for name, stage in guards.stages.items():
        yield _fact(name, stage.state)
        yield from (f"  {note}" for note in stage.notes)
        yield from (f"  read {path}, which it does not declare" for path in stage.undeclared)
        if stage.programs:
            yield f"  started {', '.join(stage.programs)}, which nobody could watch"
    yield from (_fact("break", note) for note in guards.breaks)


def _environment(environment: Environment) -> Lines:
    yield _fact("python", f"{environment.implementation} {environment.python}")
    yield from _packages(environment.packages)
    yield from _machine(environment.machine)
    for title, settings in (("threads", environment.threads), ("switches", environment.switches)):
        yield f"{title}, as pinned and as read back"
        yield from (f"  {name} {_setting(setting)}" for name, setting in settings.items())


def _packages(packages: Packages) -> Lines:
    yield _fact("lock", f"{packages.lock_path} sha256 {_known(packages.lock_sha256)}")
    yield _fact("installed", f"{len(packages.installed)} packages")
    if isinstance(packages.differences, Unknown):
        yield _fact("not as locked", packages.differences)
        return
    yield _fact("not as locked", str(len(packages.differences)))
    for package in packages.differences:
        versions = f"{package.installed or 'absent'}, locked {package.locked or 'not at all'}"
        yield f"  {package.name} {versions}"


def _machine(machine: Machine) -> Lines:
    yield _fact("system", f"{machine.system} {machine.release} {machine.architecture}")
    yield _fact("cpu", machine.cpu_model)
    flags = machine.cpu_flags
    yield _fact("cpu flags", flags if isinstance(flags, Unknown) else " ".join(flags))
    yield _fact("cores", f"{_known(machine.cores)} usable, {_known(machine.cores_present)} present")
    yield _fact("memory", f"{_known(machine.memory_bytes)} bytes")
    yield _fact("container", machine.container)
    if isinstance(machine.gpus, Unknown):
        yield _fact("gpus", machine.gpus)
        return
    for gpu in machine.gpus:
        yield _fact("gpu", f"{gpu.name}, driver {gpu.driver}, {gpu.memory_mib} MiB")


def _setting(setting: Setting) -> str:
    pinned = "not pinned" if setting.pinned is None else f"pinned {_known(setting.pinned)!s}"
    return f"{pinned or 'pinned to nothing'}; read back {_known(setting.read_back)}"


def _files(files: Mapping[str, RecordedFile | Unknown]) -> Lines:
    if not files:
        yield "none yet"
    for name, file in files.items():
        yield name
        yield from _indented(_file(file))


def _file(file: RecordedFile | Unknown) -> Lines:
    if isinstance(file, Unknown):
        yield _known(file)
        return
    yield f"{file.path} sha256 {file.sha256}"
    yield from _leaves(file.content)


def _mapping(values: Mapping[str, Any] | Unknown) -> Lines:
    yield from ([_known(values)] if isinstance(values, Unknown) else _leaves(values))


def _leaves(value: Any, path: str = "") -> Lines:
    """One line a leaf: `train.beta = 0.1`. Lists of plain values stay on one line."""
    if is_unknown_json(value):
        yield f"{path} = unknown: {value['unknown']}"
    elif isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple) and any(isinstance(item, dict | list) for item in value):
        for row, item in enumerate(value):
            yield from _leaves(item, f"{path}[{row}]")
    elif isinstance(value, list | tuple):
        yield f"{path} = {', '.join(_number(item) for item in value) or 'none'}"
    else:
        yield f"{path} = {_number(value)}"


def _table(rows: Sequence[Sequence[str]]) -> Lines:
    """Columns padded to their widest cell, the first to the left, numbers to the right."""
    full = [row for row in rows if len(row) == len(rows[0])]
    widths = [max(len(row[column]) for row in full) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=False)]
        yield "  ".join((row[0].ljust(widths[0]), *cells)).rstrip()


def _fact(name: str, value: object) -> str:
    return f"{name:<{_WIDTH}} {_known(value)}".rstrip()


def _known(value: object) -> str:
    return f"unknown: {value.why}" if isinstance(value, Unknown) else str(value)


def _number(value: object) -> str:
    """Four digits are what the table of results needs; short floats stay as they are."""
    if isinstance(value, float) and len(repr(value)) > 8:
        return f"{value:.4f}" if abs(value) >= 0.001 else f"{value:.3g}"
    return "none" if value is None else str(value)


def _indented(lines: Iterable[str]) -> Lines:
    return (f"  {line}" for line in lines)
