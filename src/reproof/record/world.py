"""What surrounded a run: the code it was checked out from, the machine, the packages, the switches.

Only values; the rooms that ask the world for them are in `probe`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from reproof.ground.unknown import Unknown


@dataclass(frozen=True, slots=True)
class Change:
    """A path that differs from HEAD; `kind` is modified, added, deleted, untracked or conflict."""

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class GitState:
    """The code a run was made from. `remote` never holds a user name, password or token.

    `changes` make the tree dirty. `generated_changes` do not: they are what the
    pipeline itself writes (dvc.lock, run_info, outs), which is committed after the run.
    """

    commit: str | Unknown
    branch: str | Unknown
    remote: str | Unknown
    changes: tuple[Change, ...]
    generated_changes: tuple[Change, ...]

    @property
    def is_dirty(self) -> bool:
        """Whether anything but generated files differs from the commit."""
        return bool(self.changes)


@dataclass(frozen=True, slots=True)
class Gpu:
    """One accelerator, as its driver names it."""

    name: str
    driver: str
    memory_mib: int


@dataclass(frozen=True, slots=True)
class Machine:
    """The computer; it has no name here, as names of machines and people are nobody's business.

    `cores` are those that this process may use, of `cores_present`.
    """

    system: str
    release: str
    architecture: str
    cpu_model: str | Unknown
    cpu_flags: tuple[str, ...] | Unknown
    cores: int | Unknown
    cores_present: int | Unknown
    memory_bytes: int | Unknown
    gpus: tuple[Gpu, ...] | Unknown
    container: str | Unknown


@dataclass(frozen=True, slots=True)
class PackageDifference:
    """A package whose installed version is not the locked one; None on the side that lacks it."""

    name: str
    locked: str | None
    installed: str | None


@dataclass(frozen=True, slots=True)
class Packages:
    """What is installed, and how it differs from the lock file."""

    lock_path: str
    lock_sha256: str | Unknown
    installed: Mapping[str, str]
    differences: tuple[PackageDifference, ...] | Unknown


@dataclass(frozen=True, slots=True)
class Setting:
    """A switch: what the environment pins it to (None: not pinned), and what the library says.

    The two are kept apart because a library may ignore what it is asked for.
    """

    pinned: str | Unknown | None
    read_back: str | int | bool | Unknown


@dataclass(frozen=True, slots=True)
class Environment:
    """Everything outside code and data that can move a result."""

    python: str
    implementation: str
    packages: Packages
    machine: Machine
    threads: Mapping[str, Setting]
    switches: Mapping[str, Setting]
