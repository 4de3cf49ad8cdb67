"""Join what dvc.lock says about a path with what is on disk now, under our own SHA-256."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from reproof.ground.canon import sha256_of
from reproof.ground.files import disk_errors
from reproof.ground.unknown import Unknown
from reproof.record.lock import Artifact

_CHUNK = 1 << 20
_NOT_CONTENT = ("__pycache__", ".pyc")
"""Python writes these while a stage runs; .dvcignore names them too."""

OnDisk = Literal["same", "changed", "missing"]


class Hashes(NamedTuple):
    """What one read of a path gives; `md5` is in DVC's form, so that the two can be joined."""

    sha256: str
    md5: str
    size: int


@dataclass(frozen=True, slots=True)
class RecordedArtifact:
    """A dep or an out of a stage: DVC's md5, our SHA-256, and whether the disk still agrees.

    `sha256` is known only when the disk still holds what the stage had (`on_disk`
    is "same"): a digest of something else would put a false fact into the record.
    """

    path: str
    md5: str
    size: int | None
    nfiles: int | None
    on_disk: OnDisk
    sha256: str | Unknown


def record_artifact(locked: Artifact, found: Hashes | None) -> RecordedArtifact:
    """Join an entry of dvc.lock with the hashes of its path; None for a path that is not there."""
    facts = (locked.path, locked.md5, locked.size, locked.nfiles)
    if found is None:
        return RecordedArtifact(*facts, "missing", Unknown("is not on disk"))
    if found.md5 != locked.md5:
        why = "has changed on disk since dvc.lock was written"
        return RecordedArtifact(*facts, "changed", Unknown(why))
    return RecordedArtifact(*facts, "same", found.sha256)


def hash_path(path: Path) -> Hashes | None:
    """Hashes of a file or folder, each file read once; None when there is nothing.

    The SHA-256 of a folder is that of the canonical JSON list of [path, sha256] of
    its files, sorted by path, without `__pycache__` and `*.pyc`. Time, owner and mode do not
    count.
    """
    if path.is_file():
        return _hash_file(path)
    if not path.is_dir():
        return None
    files = sorted((file.relative_to(path).as_posix(), _hash_file(file)) for file in _files(path))
    entries = [{"md5": hashes.md5, "relpath": name} for name, hashes in files]
    # DVC's own form of a folder, blanks included
    listing = json.dumps(entries, sort_keys=True).encode()
    return Hashes(
        sha256=sha256_of([[name, hashes.sha256] for name, hashes in files]),
        md5=hashlib.md5(listing, usedforsecurity=False).hexdigest() + ".dir",
        size=sum(hashes.size for _, hashes in files),
    )


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if not any(part.endswith(_NOT_CONTENT) for part in parts) and path.is_file():
            yield path


def _hash_file(path: Path) -> Hashes:
    sha256, md5, size = hashlib.sha256(), hashlib.md5(usedforsecurity=False), 0
    with disk_errors(path), path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            sha256.update(chunk)
            md5.update(chunk)
            size += len(chunk)
    return Hashes(sha256.hexdigest(), md5.hexdigest(), size)
