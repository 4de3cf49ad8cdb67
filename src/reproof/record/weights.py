"""Identity of a model's weights: a digest for each tensor, and one root over all of them.

The hash of a safetensors file is no identity: its metadata is written in random
order and a checkpoint may be cut into any number of files. The root here depends
on names, types, shapes and bytes of the tensors, and on nothing else.
"""

import hashlib
import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from reproof.ground.canon import sha256_of
from reproof.ground.errors import InputError
from reproof.ground.files import disk_errors

_CHUNK = 1 << 22
_LONGEST_HEADER = 100_000_000
"""The limit of the safetensors library itself."""
_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "U16": 16, "I16": 16, "U32": 32, "I32": 32, "U64": 64, "I64": 64,
    "F16": 16, "BF16": 16, "F32": 32, "F64": 64, "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
    "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TensorDigest:
    """One tensor; `dtype` is the name that safetensors uses, `blake3` covers the raw bytes."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    blake3: str


@dataclass(frozen=True, slots=True)
class FileDigest:
    """One file as it lies on disk; equal tensors may well lie in unequal files."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Weights:
    """All tensors of a model, sorted by name, and the files they came from, sorted by path."""

    tensors: tuple[TensorDigest, ...]
    files: tuple[FileDigest, ...]

    @property
    def root(self) -> str:
        """SHA-256 of the canonical JSON list of [name, dtype, shape, blake3], sorted by name.

        It does not change with file order, sharding, metadata or the place of a
        tensor in its file; it does with one byte, name, type or shape.
        """
        rows = [[t.name, t.dtype, list(t.shape), t.blake3] for t in self.tensors]
        return sha256_of(sorted(rows))


def read_weights(folder: Path) -> Weights:
    """Digest every `*.safetensors` file of a model folder; InputError when there is none."""
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        _refuse(folder, "holds no *.safetensors file", "check that it is a model folder")
    return weights_of_files(files)


def weights_of_files(files: Iterable[Path]) -> Weights:
    """Digest safetensors files, each read once, as the weights of one model."""
    tensors: dict[str, TensorDigest] = {}
    digests = []
    for path in files:
        digest, found = _read_file(path)
        digests.append(digest)
        for tensor in found:
            if tensor.name in tensors:
                _refuse(path, f"holds {tensor.name!r}, which another file holds too")
            tensors[tensor.name] = tensor
    ordered = tuple(tensors[name] for name in sorted(tensors))
    return Weights(ordered, tuple(sorted(digests, key=lambda digest: digest.path)))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of the header: where a tensor lies, in bytes after the header."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


def _read_file(path: Path) -> tuple[FileDigest, list[TensorDigest]]:
    whole = hashlib.sha256()
    with disk_errors(path), path.open("rb") as stream:
        entries, header = _read_header(stream, path)
        whole.update(header)
        tensors = [_digest(stream, entry, whole, path) for entry in entries]
        if stream.read(1):
            _refuse(path, "has bytes after its last tensor")
    size = len(header) + (entries[-1].end if entries else 0)
    return FileDigest(path.name, whole.hexdigest(), size), tensors


def _digest(stream: BinaryIO, entry: _Entry, whole: Any, path: Path) -> TensorDigest:
    """One read feeds both digests."""
    from blake3 import blake3

    digest, left = blake3(), entry.end - entry.begin
    while left:
        chunk = stream.read(min(left, _CHUNK))
        if not chunk:
            _refuse(path, f"ends inside {entry.name!r}", "fetch or write the file again")
        whole.update(chunk)
        digest.update(chunk)
        left -= len(chunk)
    return TensorDigest(entry.name, entry.dtype, entry.shape, digest.hexdigest())


def _read_header(stream: BinaryIO, path: Path) -> tuple[list[_Entry], bytes]:
    """The entries in the order of their bytes, and the header's own bytes."""
    prefix = stream.read(8)
    length = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else _LONGEST_HEADER + 1
    if length > _LONGEST_HEADER:
        _refuse(path, "is no safetensors file", "check the path")
    text = stream.read(length)
    try:
        header = json.loads(text)
        raw = {name: entry for name, entry in header.items() if name != "__metadata__"}
        entries = [_entry(name, entry) for name, entry in raw.items()]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        _refuse(path, f"has a broken safetensors header ({error})", "fetch or write it again")
    entries.sort(key=lambda entry: (entry.begin, entry.end))
    _check_layout(entries, path)
    return entries, prefix + text


def _entry(name: str, raw: dict[str, Any]) -> _Entry:
    begin, end = raw["data_offsets"]
    return _Entry(name, str(raw["dtype"]), tuple(int(n) for n in raw["shape"]), begin, end)


def _check_layout(entries: list[_Entry], path: Path) -> None:
    """Every byte belongs to exactly one tensor, and to as many as its type and shape need."""
    for entry, begin in zip(entries, _begins(entries), strict=True):
        if entry.begin != begin:
            _refuse(path, f"has a gap or an overlap before {entry.name!r}")
        bits = _BITS.get(entry.dtype)
        if bits is None:
            _refuse(path, f"{entry.name!r} has the unknown type {entry.dtype!r}")
        for n in entry.shape:
            bits *= n
        if bits != 8 * (entry.end - entry.begin):
            _refuse(path, f"{entry.name!r} has not as many bytes as its type and shape need")


def _begins(entries: list[_Entry]) -> Iterator[int]:
    yield from [0, *(entry.end for entry in entries)][: len(entries)]


def _refuse(path: Path, rule: str, way_out: str = "fetch or write the file again") -> NoReturn:
    raise InputError(str(path), rule, way_out)
