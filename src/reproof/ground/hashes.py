"""What a file or a folder holds, as digests: each file is read once.

SHA-256 is ours; MD5 is in the form that DVC writes, so that the two can be joined.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from reproof.ground.canon import sha256_of
from reproof.ground.files import disk_errors

_CHUNK = 1 << 20
_NOT_CONTENT = ("__pycache__", ".pyc")
"""Python writes these while a stage runs; .dvcignore names them too."""
_THREADS = 4
_LARGE = 16 << 20
"""Bytes; for a smaller file a thread costs more than it saves."""


class Hashes(NamedTuple):
    """What one read of a path gives; the MD5 of a folder ends in `.dir`. `size` is in bytes."""

    sha256: str
    md5: str
    size: int


def hash_path(path: Path) -> Hashes | None:
    """Hashes of a file or folder, each file read once; None when there is nothing.

    The SHA-256 of a folder is that of the canonical JSON list of [path, sha256] of
    its files, sorted by path, without `__pycache__` and `*.pyc`. Time, owner and mode do not
    count.
    """
    if path.is_file():
        return hash_file(path)
    if not path.is_dir():
        return None
    return of_folder({name: hash_file(path / name) for name in folder_files(path)})


def hash_file(path: Path) -> Hashes:
    """Hashes of one file; DiskError when it cannot be read."""
    sha256, md5, size = hashlib.sha256(), hashlib.md5(usedforsecurity=False), 0
    with disk_errors(path), path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            sha256.update(chunk)
            md5.update(chunk)
            size += len(chunk)
    return Hashes(sha256.hexdigest(), md5.hexdigest(), size)


def hash_files(paths: Iterable[Path]) -> dict[Path, Hashes]:
    """Hashes of many files, each read once; large ones several at a time."""
    wanted = list(dict.fromkeys(paths))
    large = [path for path in wanted if path.stat().st_size >= _LARGE]
    if len(large) < 2:
        return {path: hash_file(path) for path in wanted}
    with ThreadPoolExecutor(_THREADS) as pool:
        found = dict(zip(large, pool.map(hash_file, large), strict=True))
    return {path: found.get(path) or hash_file(path) for path in wanted}


def folder_files(folder: Path) -> list[str]:
    """Names of the files below a folder, as paths from it, sorted; what Python leaves is none."""
    return sorted(_files(folder))


def of_folder(files: Mapping[str, Hashes]) -> Hashes:
    """Hashes of a folder from those of its files, by path from the folder; see `hash_path`."""
    listed = sorted(files.items())
    entries = [{"md5": hashes.md5, "relpath": name} for name, hashes in listed]
    # DVC's own form of a folder, blanks included
    listing = json.dumps(entries, sort_keys=True).encode()
    return Hashes(
        sha256=sha256_of([[name, hashes.sha256] for name, hashes in listed]),
        md5=hashlib.md5(listing, usedforsecurity=False).hexdigest() + ".dir",
        size=sum(hashes.size for hashes in files.values()),
    )


def _files(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        below = path.relative_to(folder)
        if not any(part.endswith(_NOT_CONTENT) for part in below.parts) and path.is_file():
            yield below.as_posix()
