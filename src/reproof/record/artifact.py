"""Join what dvc.lock says about a path with what is on disk now, under our own SHA-256."""

from dataclasses import dataclass
from typing import Literal

from reproof.ground.hashes import Hashes
from reproof.ground.unknown import Unknown
from reproof.record.lock import Artifact

OnDisk = Literal["same", "changed", "missing"]


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
