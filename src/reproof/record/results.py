"""What came out of a run: weights, results of each model, files with facts in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reproof.ground.unknown import Unknown
from reproof.record.weights import FileDigest


@dataclass(frozen=True, slots=True)
class RecordedWeights:
    """A model folder: the root over its tensors (see weights.Weights.root) and its files."""

    root: str
    n_tensors: int
    files: tuple[FileDigest, ...]


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file that a stage wrote: path, hash, and what it says, whole or in short."""

    path: str
    sha256: str
    content: Any


@dataclass(frozen=True, slots=True)
class ModelResult:
    """The result of one model (`content` is its result.json) and the episodes behind it."""

    path: str
    sha256: str
    content: Mapping[str, Any]
    episodes_path: str
    episodes_sha256: str | Unknown
