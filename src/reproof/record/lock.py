"""Read dvc.lock and dvc.yaml: which stages exist, what each had as deps and params, what came out.

The words are DVC's. Reading is strict, because a stage that is skipped over here
would be missing from the record without a trace.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from reproof.ground.errors import InputError
from reproof.ground.files import read_yaml

_STAGE_KEYS = {"cmd", "deps", "params", "outs"}
_ARTIFACT_KEYS = {"path", "md5", "hash", "size", "nfiles", "isexec"}
_MD5 = re.compile(r"[0-9a-f]{32}(\.dir)?")
_REFERENCE = re.compile(r"\$\{([\w.]+)\}")
_WAY_OUT = "let `dvc repro` write it"


@dataclass(frozen=True, slots=True)
class Artifact:
    """A dep or an out as DVC saw it; the md5 of a folder ends in `.dir`."""

    path: str
    md5: str
    size: int | None
    nfiles: int | None


@dataclass(frozen=True, slots=True)
class StageLock:
    """One stage of dvc.lock. `params` is file → key → value."""

    name: str
    cmd: str
    deps: tuple[Artifact, ...]
    params: Mapping[str, Mapping[str, Any]]
    outs: tuple[Artifact, ...]


@dataclass(frozen=True, slots=True)
class StagePlan:
    """One stage that dvc.yaml asks for, after `foreach` and `matrix` are written out."""

    name: str
    is_frozen: bool
    has_outs: bool


def read_lock(path: Path) -> tuple[StageLock, ...]:
    """The stages of a dvc.lock file, in its order."""
    return parse_lock(read_yaml(path), str(path))


def parse_lock(value: Any, where: str) -> tuple[StageLock, ...]:
    """The stages of a parsed dvc.lock of schema 2.0; InputError names the stage that is wrong."""
    lock = _mapping(value, where)
    if lock.get("schema") != "2.0":
        _refuse(where, f"has schema {lock.get('schema')!r}, must have '2.0'")
    if extra := sorted(set(lock) - {"schema", "stages"}):
        _refuse(where, f"has {extra[0]!r}, which does not belong there")
    stages = _mapping(lock.get("stages") or {}, f"{where}, stages")
    return tuple(_stage(name, entry, f"{where}, stage {name}") for name, entry in stages.items())


def read_plans(path: Path, params: Mapping[str, Any]) -> tuple[StagePlan, ...]:
    """The stages of a dvc.yaml file; `params` are the values of its `${...}` references."""
    return parse_plans(read_yaml(path), params, str(path))


def parse_plans(value: Any, params: Mapping[str, Any], where: str) -> tuple[StagePlan, ...]:
    """The stages of a parsed dvc.yaml, one for each item of a `foreach` or `matrix`."""
    stages = _mapping(_mapping(value, where).get("stages") or {}, f"{where}, stages")
    return tuple(
        plan
        for name, entry in stages.items()
        for plan in _plans(name, _mapping(entry, f"{where}, stage {name}"), params, where)
    )


def _plans(
    name: str, entry: dict[str, Any], params: Mapping[str, Any], where: str
) -> Iterator[StagePlan]:
    body = _mapping(entry.get("do", entry), f"{where}, stage {name}")
    has_outs = any(body.get(kind) for kind in ("outs", "metrics", "plots"))
    frozen = bool(body.get("frozen", False))
    for item in _item_names(entry, params, f"{where}, stage {name}"):
        yield StagePlan(f"{name}@{item}" if item else name, frozen, has_outs)


def _item_names(entry: dict[str, Any], params: Mapping[str, Any], where: str) -> list[str]:
    """What stands after the @, as DVC writes it; one empty name for a stage without items."""
    if "foreach" in entry:
        items = _resolve(entry["foreach"], params, f"{where}, foreach")
        if isinstance(items, Mapping):
            return [_text(key) for key in items]
        rows = _list(items, f"{where}, foreach")
        plain = all(_is_plain(item) for item in rows)
        return [_text(item) if plain else str(row) for row, item in enumerate(rows)]
    names = [""]
    for key, raw in _mapping(entry.get("matrix", {}), f"{where}, matrix").items():
        options = _list(_resolve(raw, params, f"{where}, matrix"), f"{where}, matrix, {key}")
        words = [_text(o) if _is_plain(o) else f"{key}{row}" for row, o in enumerate(options)]
        names = [f"{left}-{word}" if left else word for left in names for word in words]
    return names


def _resolve(value: Any, params: Mapping[str, Any], where: str) -> Any:
    """A literal as it is; `${a.b}` as the value in params.yaml."""
    match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value
    found: Any = params
    for key in match[1].split("."):
        if not isinstance(found, Mapping) or key not in found:
            _refuse(where, f"refers to {match[1]!r}, which params.yaml lacks", "add the value")
        found = found[key]
    return found


def _stage(name: str, value: Any, where: str) -> StageLock:
    entry = _mapping(value, where)
    if extra := sorted(set(entry) - _STAGE_KEYS):
        _refuse(where, f"has {extra[0]!r}, which does not belong there")
    raw_params = _mapping(entry.get("params") or {}, f"{where}, params")
    params = {path: _mapping(values, f"{where}, {path}") for path, values in raw_params.items()}
    return StageLock(
        name=name,
        cmd=_command(entry.get("cmd"), where),
        deps=_artifacts(entry.get("deps"), f"{where}, deps"),
        params=params,
        outs=_artifacts(entry.get("outs"), f"{where}, outs"),
    )


def _command(value: Any, where: str) -> str:
    """DVC runs a list of commands one after another: one a line here."""
    lines = value if isinstance(value, list) else [value]
    if not lines or not all(isinstance(line, str) and line for line in lines):
        _refuse(where, "has no cmd")
    return "\n".join(lines)


def _artifacts(value: Any, where: str) -> tuple[Artifact, ...]:
    if value is None:
        return ()
    artifacts = tuple(_artifact(item, where) for item in _list(value, where))
    paths = [artifact.path for artifact in artifacts]
    if twice := sorted({path for path in paths if paths.count(path) > 1}):
        _refuse(where, f"names {twice[0]} twice")
    return artifacts


def _artifact(value: Any, where: str) -> Artifact:
    entry = _mapping(value, where)
    path, md5 = entry.get("path"), entry.get("md5")
    if not isinstance(path, str) or not path:
        _refuse(where, "has an entry without a path")
    if extra := sorted(set(entry) - _ARTIFACT_KEYS):
        _refuse(f"{where}, {path}", f"has {extra[0]!r}, which does not belong there")
    if entry.get("hash") != "md5" or not isinstance(md5, str) or not _MD5.fullmatch(md5):
        _refuse(f"{where}, {path}", "has no md5 of the form that DVC 3 writes")
    size, nfiles = (_count(entry.get(key), f"{where}, {path}, {key}") for key in ("size", "nfiles"))
    return Artifact(path, md5, size, nfiles)


def _count(value: Any, where: str) -> int | None:
    if value is not None and (type(value) is not int or value < 0):
        _refuse(where, f"is {value!r}, must be an integer from 0")
    return value


def _is_plain(value: Any) -> bool:
    return not isinstance(value, list | dict)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        _refuse(where, "must be a list", "mend dvc.yaml")
    return value


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        _refuse(where, "must be a mapping with text keys")
    return value


def _refuse(where: str, rule: str, way_out: str = _WAY_OUT) -> NoReturn:
    raise InputError(where, rule, way_out)
