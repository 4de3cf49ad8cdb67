"""Baseline: a result that others are held against, read strictly from a YAML file."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from reproof.ground.canon import sha256_of
from reproof.ground.errors import InputError
from reproof.ground.files import read_text, sha256_file
from reproof.ground.unknown import Unknown
from reproof.record import codec
from reproof.scores.episode import SUCCESS_AT, read_episodes
from reproof.scores.evaluation import Protocol
from reproof.verdict.noise import MeasuredNoise
from reproof.verdict.side import RunFacts, Side, TaskReturn, problems, task_returns

SCHEMA_VERSION = 1
FOLDER = Path("run_info/baselines")
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Control:
    """A wrong answer that the check must be able to tell from the baseline."""

    model: str
    mean_return: float
    success: int


@dataclass(frozen=True, slots=True)
class Results:
    """The totals as published or measured."""

    n: int
    mean_return: float
    success: int
    partial: int | Unknown


@dataclass(frozen=True, slots=True)
class Baseline:
    """A named result. `source` says where the numbers are from, `about` why it is a baseline."""

    name: str
    about: str
    source: str
    side: Side
    noise: MeasuredNoise | Unknown
    negative_control: Control | Unknown

    def to_json(self) -> dict[str, Any]:
        """The content of the YAML file; `parse_baseline` gives the value back."""
        side = self.side
        return {
            "schema_version": SCHEMA_VERSION,
            "name": self.name,
            "about": self.about,
            "source": self.source,
            "model": side.model,
            "protocol": side.protocol.to_json(),
            "results": codec.to_json(Results(side.n, side.mean_return, side.success, side.partial)),
            "negative_control": codec.to_json(self.negative_control),
            "noise": codec.to_json(self.noise),
            "run": codec.to_json(side.run),
            "tasks": codec.to_json(side.tasks),
        }


@dataclass(frozen=True, slots=True)
class _File:
    schema_version: int
    name: str
    about: str
    source: str
    model: str
    protocol: Any
    results: Results
    negative_control: Control | Unknown
    noise: MeasuredNoise | Unknown
    run: RunFacts | Unknown
    tasks: Any


@dataclass(frozen=True, slots=True)
class _Episodes:
    """A file of episodes beside the YAML file."""

    path: str
    sha256: str


def find_baseline(root: Path, name: str) -> Path:
    """The file of a baseline given by name or by path; InputError lists the names there are."""
    for path in (root / FOLDER / f"{name}.yaml", Path(name)):
        if path.is_file():
            return path
    names = sorted(path.stem for path in (root / FOLDER).glob("*.yaml"))
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"choose one of: {', '.join(names) or 'none'}"
    raise InputError(f"baseline {name}", "does not exist", hint)


def read_baseline(path: Path) -> Baseline:
    """Read a baseline file; InputError names what is wrong in it."""
    try:
        value = _load(read_text(path))
    except (yaml.YAMLError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise InputError(str(path), f"is not YAML ({reason})", "mend it") from error
    return parse_baseline(value, str(path), path.parent)


def parse_baseline(value: Any, where: str, folder: Path) -> Baseline:
    """Parse the content of a baseline file; `folder` is where its episodes lie, if it names any."""
    if isinstance(value, Mapping) and value.get("schema_version") != SCHEMA_VERSION:
        rule = f"has schema_version {value.get('schema_version')!r}, this reproof reads 1"
        raise InputError(where, rule, "use a newer reproof, or mend it")
    file: _File = codec.from_json(_File, value, where)
    protocol = Protocol.from_json(where, file.protocol)
    side = Side(
        model=file.model,
        protocol=protocol,
        n=file.results.n,
        mean_return=file.results.mean_return,
        success=file.results.success,
        partial=file.results.partial,
        tasks=_tasks(file.tasks, protocol, where, folder),
        run=file.run,
    )
    _check(side, where)
    _check_ids(side, where)
    return Baseline(file.name, file.about, file.source, side, file.noise, file.negative_control)


def _tasks(
    value: Any, protocol: Protocol, where: str, folder: Path
) -> tuple[TaskReturn, ...] | Unknown:
    """Results of single tasks: listed, in a file of episodes beside, or unknown."""
    if isinstance(value, Mapping) and "unknown" not in value:
        file: _Episodes = codec.from_json(_Episodes, value, f"{where}.tasks")
        path = folder / file.path
        if path.is_file() and sha256_file(path) != file.sha256:
            raise InputError(str(path), "is not the file that the baseline names", "restore it")
        return task_returns(str(path), protocol, read_episodes(path))
    kind = tuple[TaskReturn, ...] | Unknown
    tasks: tuple[TaskReturn, ...] | Unknown = codec.from_json(kind, value, f"{where}.tasks")
    return tasks


def _check_ids(side: Side, where: str) -> None:
    """An id is the digest of the facts beside it, or one of the two was edited."""
    if isinstance(side.run, Unknown):
        return
    for name in ("inputs", "environment"):
        facts, digest = getattr(side.run, name), getattr(side.run, f"{name}_id")
        if isinstance(facts, Unknown) or isinstance(digest, Unknown):
            continue
        if sha256_of(facts) != digest:
            rule = f"run.{name}_id is not the digest of run.{name}"
            raise InputError(where, rule, "restore it with git, or set the baseline again")


def _check(side: Side, where: str) -> None:
    for rule in problems(side):
        raise InputError(where, rule, "mend the results")
    if isinstance(side.tasks, Unknown):
        return
    keys = [task.key for task in side.tasks]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise InputError(where, f"task {twice[0][0]!r} is listed twice", "keep one row a task")
    returns = [task.episode_return for task in side.tasks]
    for task in side.tasks:
        if not 0 <= task.episode_return <= 1:
            rule = f"task {task.task_id!r} has a return of {task.episode_return}, outside [0, 1]"
            raise InputError(where, rule, "mend the row")
    said = (side.n, side.success)
    found = (len(returns), sum(value >= SUCCESS_AT for value in returns))
    if said != found or abs(sum(returns) / len(returns) - side.mean_return) > _SLACK:
        rule = "the results are not what the listed tasks give"
        raise InputError(where, rule, "write it again with `reproof baseline set`")


def _load(text: str) -> Any:
    """Parse YAML, in C where it can be had: a baseline has a line for every task."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
        for mapping in _mappings(node):
            keys = [key.value for key, _ in mapping.value]
            # PyYAML keeps the last of two without a word
            if twice := sorted({str(key) for key in keys if keys.count(key) > 1}):
                raise yaml.YAMLError(f"{', '.join(twice)} is given twice")
        return None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _mappings(node: yaml.Node | None) -> Iterator[yaml.MappingNode]:
    """Every mapping of a document."""
    if isinstance(node, yaml.MappingNode):
        yield node
        for _, value in node.value:
            yield from _mappings(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _mappings(value)
