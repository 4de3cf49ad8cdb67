"""Read dvc.lock: which stages ran, what each had as deps and params, what came out.

The words are DVC's. Reading is strict, because a stage that is skipped over here
would be missing from the record without a trace.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproof.ground.files import read_yaml
from reproof.record.shape import LET_DVC, a_list, a_mapping, commands, refuse

_STAGE_KEYS = {"cmd", "deps", "params", "outs"}
_ARTIFACT_KEYS = {"path", "md5", "hash", "size", "nfiles", "isexec"}
_MD5 = re.compile(r"[0-9a-f]{32}(\.dir)?")


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


def read_lock(path: Path) -> tuple[StageLock, ...]:
    """The stages of a dvc.lock file, in its order."""
    return parse_lock(read_yaml(path), str(path))


def parse_lock(value: Any, where: str) -> tuple[StageLock, ...]:
    """The stages of a parsed dvc.lock of schema 2.0; InputError names the stage that is wrong."""
    lock = a_mapping(value, where)
    if lock.get("schema") != "2.0":
        refuse(where, f"has schema {lock.get('schema')!r}, must have '2.0'")
    if extra := sorted(set(lock) - {"schema", "stages"}):
        refuse(where, f"has {extra[0]!r}, which does not belong there")
    stages = a_mapping(lock.get("stages") or {}, f"{where}, stages")
    return tuple(_stage(name, entry, f"{where}, stage {name}") for name, entry in stages.items())


def _stage(name: str, value: Any, where: str) -> StageLock:
    entry = a_mapping(value, where)
    if extra := sorted(set(entry) - _STAGE_KEYS):
        refuse(where, f"has {extra[0]!r}, which does not belong there")
    raw_params = a_mapping(entry.get("params") or {}, f"{where}, params")
    params = {path: a_mapping(values, f"{where}, {path}") for path, values in raw_params.items()}
    return StageLock(
        name=name,
        cmd=commands(entry.get("cmd"), where),
        deps=_artifacts(entry.get("deps"), f"{where}, deps"),
        params=params,
        outs=_artifacts(entry.get("outs"), f"{where}, outs"),
    )


def _artifacts(value: Any, where: str) -> tuple[Artifact, ...]:
    if value is None:
        return ()
    artifacts = tuple(_artifact(item, where) for item in a_list(value, where, LET_DVC))
    paths = [artifact.path for artifact in artifacts]
    if twice := sorted({path for path in paths if paths.count(path) > 1}):
        refuse(where, f"names {twice[0]} twice")
    return artifacts


def _artifact(value: Any, where: str) -> Artifact:
    entry = a_mapping(value, where)
    path, md5 = entry.get("path"), entry.get("md5")
    if not isinstance(path, str) or not path:
        refuse(where, "has an entry without a path")
    if extra := sorted(set(entry) - _ARTIFACT_KEYS):
        refuse(f"{where}, {path}", f"has {extra[0]!r}, which does not belong there")
    if entry.get("hash") != "md5" or not isinstance(md5, str) or not _MD5.fullmatch(md5):
        refuse(f"{where}, {path}", "has no md5 of the form that DVC 3 writes")
    size, nfiles = (_count(entry.get(key), f"{where}, {path}, {key}") for key in ("size", "nfiles"))
    return Artifact(path, md5, size, nfiles)


def _count(value: Any, where: str) -> int | None:
    if value is not None and (type(value) is not int or value < 0):
        refuse(where, f"is {value!r}, must be an integer from 0")
    return value
