"""What a guard saw of one run of a stage, and where such reports are kept.

Reports lie in .dvc/tmp, outside of what DVC tracks: they say what happened on this machine.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from reproof.ground.canon import sha256_of
from reproof.ground.errors import InputError
from reproof.ground.files import read_json, write_json
from reproof.ground.hashes import Hashes

FOLDER = Path(".dvc/tmp/reproof")
_OFF = "off.json"
_SCIENTIFIC = re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)[eE][-+]?\d+")

Verdict = Literal["passed", "warned", "refused"]
Params = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardReport:
    """One run of a stage: what it had at its start, what it opened, what it left.

    `deps` and `outs` are the declared paths, `files_in` and `files_out` the SHA-256 of each
    file in them. `params` is file → key → value, None for a key that is not there. `changed`
    names what was not the same at the end, `undeclared` what was read and is no dep. Seconds
    are those of the stage and of the guard around it.
    """

    stage: str
    cmd: str
    verdict: Verdict
    deps: Mapping[str, Hashes]
    params: Params
    outs: Mapping[str, Hashes]
    files_in: Mapping[str, str]
    files_out: Mapping[str, str]
    reads: tuple[str, ...]
    undeclared: tuple[str, ...]
    changed: tuple[str, ...]
    programs: tuple[str, ...]
    stage_seconds: float
    guard_seconds: float

    @property
    def key(self) -> str:
        """Equal for runs with equal inputs; see `key_of`."""
        return key_of(self.cmd, {path: dep.md5 for path, dep in self.deps.items()}, self.params)

    def to_json(self) -> dict[str, Any]:
        """The content of a report file."""
        value: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        for name in ("deps", "outs"):
            value[name] = {path: hashes._asdict() for path, hashes in value[name].items()}
        return value | {"version": 1}

    @classmethod
    def from_json(cls, value: Any, where: str) -> "GuardReport":
        """Parse what `to_json` gave; InputError if it is not that."""
        try:
            own = {name: value[name] for name in cls.__slots__}
            for name in ("deps", "outs"):
                own[name] = {path: Hashes(**hashes) for path, hashes in own[name].items()}
            for name in ("reads", "undeclared", "changed", "programs"):
                own[name] = tuple(own[name])
            return cls(**own)
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(where, "is no guard report", "run the stage again") from error


def key_of(cmd: str, deps: Mapping[str, str], params: Params) -> str:
    """SHA-256 of what a stage was run on: command, md5 of each dep, params.

    dvc.lock holds the same three, so an entry of it finds its report.
    """
    return sha256_of({"cmd": cmd, "deps": dict(deps), "params": same_numbers(params)})


def same_numbers(value: Any) -> Any:
    """Values with 2e-05 as a number, which PyYAML reads as a text where DVC has written it."""
    if isinstance(value, Mapping):
        return {key: same_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [same_numbers(item) for item in value]
    if isinstance(value, str) and _SCIENTIFIC.fullmatch(value):
        return float(value)
    return value


def keep(root: Path, report: GuardReport) -> None:
    """Write a report of a run that was let through; one of the same inputs is replaced."""
    folder = root / FOLDER / "guards" / report.stage
    write_json(folder / f"{report.key}.json", report.to_json())
    (folder / _OFF).unlink(missing_ok=True)


def keep_off(root: Path, stage: str) -> None:
    """Write down that a stage was run without its guard."""
    write_json(root / FOLDER / "guards" / stage / _OFF, {"verdict": "off", "version": 1})


def was_off(root: Path, stage: str) -> bool:
    """Whether the last run of a stage on this machine had no guard."""
    return (root / FOLDER / "guards" / stage / _OFF).is_file()


def reports_of(root: Path, stage: str) -> tuple[GuardReport, ...]:
    """Every report of a stage on this machine, one for each of its inputs; in a fixed order."""
    files = sorted((root / FOLDER / "guards" / stage).glob("*.json"))
    return tuple(_read(path) for path in files if path.name != _OFF)


def _read(path: Path) -> GuardReport:
    return GuardReport.from_json(read_json(path), str(path))
