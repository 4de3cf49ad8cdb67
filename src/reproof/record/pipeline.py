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
        """What the makers read and no stage makes: code, mostly. By path.

        A dep that is a part of something made, or a folder of things made, is not outside.
        """
        produced = {*self.given(), *self.made()}
        folders = {folder for path in produced for folder in _above(path)}
        deps = {dep.path: dep for stage in self.makers() for dep in stage.deps}
        return {
            path: dep
            for path, dep in deps.items()
            if path not in folders and produced.isdisjoint(_above(path))
        }


def _above(path: str) -> set[str]:
    """A path and every folder that it lies in."""
    parts = path.split("/")
    return {"/".join(parts[: end + 1]) for end in range(len(parts))}
