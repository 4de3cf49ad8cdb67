"""Guard a stage: what it declares must stay as it is while it runs, and be all that it reads.

DVC hashes deps when a stage has ended: a script edited while it ran is put down as the maker of
what the old script made. Here deps are hashed before and after, and outs of a run that cannot
be vouched for are moved out of the way before DVC sees them.
"""

import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from reproof.ground.errors import ParamsError, StageError
from reproof.ground.files import disk_errors, read_yaml, write_json
from reproof.ground.hashes import Hashes, folder_files, hash_files, of_folder
from reproof.ground.watch import Seen, seen, watching
from reproof.record.guard import FOLDER, GuardReport, Params, Verdict, keep, keep_off
from reproof.record.plan import PARAMS, StagePlan, read_plans

SWITCH = "REPROOF_GUARD"
_SETTINGS = ("on", "warn", "off")
_MOST_NAMED = 5
_TOOLS = frozenset(
    {
        *(".git", ".dvc", ".venv", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache"),
        *(".inputs", "__pycache__", "mlruns", "mlflow.db", PARAMS),
    }
)
"""Read by tools, or by `run_stage` itself: of params.yaml, the declared values are watched."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The declared inputs of a stage at one moment; files by path from the root."""

    files: Mapping[str, Hashes]
    params: Params

    def changes(self, later: "Snapshot") -> tuple[str, ...]:
        """What is not the same later: files and `file: key` of params, sorted."""
        files = {
            name
            for name in {*self.files, *later.files}
            if _digest(self.files, name) != _digest(later.files, name)
        }
        params = {
            f"{file}: {key}"
            for file, values in self.params.items()
            for key in {*values, *later.params[file]}
            if values.get(key) != later.params[file].get(key)
        }
        return tuple(sorted(files | params))


@contextmanager
def guarded(root: Path, name: str) -> Iterator[None]:
    """Run the block as the stage `name` of dvc.yaml.

    Afterwards raises StageError if a declared file or param is not what it was, or if a file
    of the project was read that is not declared. REPROOF_GUARD=warn lets the second pass with
    a warning, off lets all pass; either is seen in the record. A stage that DVC runs each time
    (`always_changed`) may read what it likes: nothing stale can come of it. Errors of the block
    are let through as they are.
    """
    setting = os.environ.get(SWITCH, "on")
    if setting not in _SETTINGS:
        rule = f"is {setting!r}, must be one of {', '.join(_SETTINGS)}"
        raise ParamsError(SWITCH, rule, "unset it")
    if setting == "off":
        keep_off(root, name)
        yield
        return
    begun = time.perf_counter()
    plan = _plan(root, name)
    before = _snapshot(root, plan)
    started = time.perf_counter()
    with watching(root) as log:
        yield
        ended = time.perf_counter()
        noted = seen(log, root)
    report = _report(root, plan, before, noted, setting)
    around = started - begun + time.perf_counter() - ended
    _decide(root, plan, replace(report, stage_seconds=ended - started, guard_seconds=around))


def _report(
    root: Path, plan: StagePlan, before: Snapshot, noted: Seen, setting: str
) -> GuardReport:
    """What is to be said of a run that has ended; its seconds are not filled in."""
    changed = before.changes(_snapshot(root, plan))
    undeclared = () if plan.always_changed else tuple(_undeclared(root, plan, noted.read))
    made = _hashed(root, plan.outs)
    return GuardReport(
        stage=plan.name,
        cmd=plan.cmd,
        verdict=_verdict(changed, undeclared, setting),
        deps=_by_path(plan.deps, before.files),
        params=before.params,
        outs=_by_path(plan.outs, made),
        files_in={file: hashes.sha256 for file, hashes in before.files.items()},
        files_out={file: hashes.sha256 for file, hashes in made.items()},
        reads=noted.read,
        undeclared=undeclared,
        changed=changed,
        programs=noted.programs,
        stage_seconds=0.0,
        guard_seconds=0.0,
    )


def _plan(root: Path, name: str) -> StagePlan:
    params = read_yaml(root / PARAMS)
    plans = read_plans(root / "dvc.yaml", params if isinstance(params, dict) else {})
    for plan in plans:
        if plan.name == name:
            return plan
    way_out = "declare it there, or set REPROOF_GUARD=off, which the record will show"
    raise StageError("dvc.yaml", f"declares no stage {name}, so nobody can guard it", way_out)


def _snapshot(root: Path, plan: StagePlan) -> Snapshot:
    params = {file: _values(root, file, keys) for file, keys in plan.params.items()}
    return Snapshot(_hashed(root, plan.deps), params)


def _values(root: Path, file: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """The declared values of a params file, None for one that is not there."""
    whole = read_yaml(root / file)
    return {key: _value(whole, key) for key in keys} if keys else dict(whole)


def _value(found: Any, key: str) -> Any:
    for step in key.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    return found


def _hashed(root: Path, paths: Iterable[str]) -> dict[str, Hashes]:
    """Every file that there is of files and folders, by path from the root; each read once."""
    names: dict[str, Path] = {}
    for path in paths:
        whole = root / path
        if whole.is_dir():
            names |= {f"{path}/{name}": whole / name for name in folder_files(whole)}
        elif whole.is_file():
            names[path] = whole
    hashes = hash_files(names.values())
    return {name: hashes[whole] for name, whole in names.items()}


def _by_path(paths: Iterable[str], files: Mapping[str, Hashes]) -> dict[str, Hashes]:
    """The hashes of declared paths from those of the files in them."""
    found: dict[str, Hashes] = {}
    for path in paths:
        inner = {
            name.removeprefix(f"{path}/"): hashes
            for name, hashes in files.items()
            if name.startswith(f"{path}/")
        }
        if path in files:
            found[path] = files[path]
        elif inner:
            found[path] = of_folder(inner)
    return found


def _digest(files: Mapping[str, Hashes], name: str) -> str | None:
    return files[name].sha256 if name in files else None


def _undeclared(root: Path, plan: StagePlan, read: Iterable[str]) -> Iterator[str]:
    """Files that were read and are neither declared, nor a tool's, nor half written."""
    declared = {*plan.deps, *plan.outs, *plan.params}
    for name in read:
        parts = name.split("/")
        above = {"/".join(parts[: end + 1]) for end in range(len(parts))}
        if above & declared or set(parts) & _TOOLS or any(map(_is_scratch, parts)):
            continue
        # an empty __init__.py says nothing; test_architecture holds them empty
        if parts[-1] != "__init__.py" or (root / name).stat().st_size:
            yield name


def _is_scratch(part: str) -> bool:
    """Named so by ground/files.py while it is written, or what installing leaves."""
    half_written = part.startswith(".") and part.endswith((".part", ".old"))
    return half_written or part.endswith(".egg-info")


def _verdict(changed: tuple[str, ...], undeclared: tuple[str, ...], setting: str) -> Verdict:
    if changed or (undeclared and setting == "on"):
        return "refused"
    return "warned" if undeclared else "passed"


def _decide(root: Path, plan: StagePlan, report: GuardReport) -> None:
    """Keep the report of a run that is let through; else move its outs away and raise."""
    if report.verdict == "refused":
        _refuse(root, plan, report)
    keep(root, report)
    if report.undeclared:
        names = _named(report.undeclared)
        print(
            f"{plan.name}: warning: read {names}, which dvc.yaml does not declare", file=sys.stderr
        )


def _refuse(root: Path, plan: StagePlan, report: GuardReport) -> NoReturn:
    aside = FOLDER / "refused" / plan.name
    _move_outs(root, plan, root / aside)
    write_json(root / aside / "guard.json", report.to_json())
    kept = f"what it made is kept in {aside.as_posix()} and is published nowhere"
    if report.changed:
        way_out = f"{kept}; run `dvc repro` again and edit nothing that the stage depends on"
        raise StageError(_named(report.changed), "changed while the stage ran", way_out)
    way_out = f"declare it in dvc.yaml and run again, or set {SWITCH}=warn; {kept}"
    raise StageError(
        _named(report.undeclared), "was read, but dvc.yaml does not declare it", way_out
    )


def _move_outs(root: Path, plan: StagePlan, aside: Path) -> None:
    """Not deleted: an epoch on many GPUs is worth a look even when it must not count."""
    with disk_errors(aside):
        shutil.rmtree(aside, ignore_errors=True)
        for out in plan.outs:
            if (root / out).exists():
                (aside / out).parent.mkdir(parents=True, exist_ok=True)
                shutil.move(root / out, aside / out)


def _named(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
