"""The stages of a run, each with what went in and what came out, joined with the disk."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reproof.record.artifact import RecordedArtifact


@dataclass(frozen=True, slots=True)
class RecordedStage:
    """A stage of dvc.lock. `params` is file → key → value, as in dvc.lock."""

    name: str
    cmd: str
    is_frozen: bool
    deps: tuple[RecordedArtifact, ...]
    params: Mapping[str, Mapping[str, Any]]
    outs: tuple[RecordedArtifact, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """All stages that dvc.lock holds, and the names of those that dvc.yaml asks for besides.

    A stage without outs makes nothing (the one that writes the record is of that
    kind): it is no part of any digest.
    """

    stages: tuple[RecordedStage, ...]
    not_run: tuple[str, ...]

    def makers(self) -> tuple[RecordedStage, ...]:
        """The stages that the pipeline itself runs and that make something."""
        return tuple(stage for stage in self.stages if stage.outs and not stage.is_frozen)

    def given(self) -> dict[str, RecordedArtifact]:
        """What frozen stages made once and the pipeline starts from, by path."""
        return {out.path: out for stage in self.stages if stage.is_frozen for out in stage.outs}

    def made(self) -> dict[str, RecordedArtifact]:
        """What the makers made, by path."""
        return {out.path: out for stage in self.makers() for out in stage.outs}

    def outside(self) -> dict[str, RecordedArtifact]:
        """What the makers read and no stage makes: code, mostly. By path."""
        produced = self.given() | self.made()
        deps = {dep.path: dep for stage in self.makers() for dep in stage.deps}
        return {path: dep for path, dep in deps.items() if not _lies_in(path, produced)}


def _lies_in(path: str, folders: Mapping[str, object]) -> bool:
    """Whether a path is one of these or inside one of them."""
    parts = path.split("/")
    return any("/".join(parts[: end + 1]) in folders for end in range(len(parts)))
