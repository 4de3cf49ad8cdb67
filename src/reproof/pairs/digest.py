"""Which rows a data set holds: a digest a row, one of their set, one of their order.

A row is nested values as Arrow or JSON give them. Its digest is the SHA-256 of one byte form in
which every value carries its kind and its length, so that no two rows share a form. Values
count, not how they are stored: a whole number of any width, 1 and 1.0, a list or a large list,
columns in any order are the same. An image is its bytes: drawn the same and compressed
otherwise is another image. NaN equals itself, and -0.0 is not 0.0.
"""

import hashlib
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproof.ground.errors import InputError
from reproof.ground.files import disk_errors, write_whole

SIZE = 32
_MAGIC = b"reproof rows 1\n\0"
_ORDERED, _UNORDERED = b"reproof rows in order\0", b"reproof rows in any order\0"
_Put = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class RowDigests:
    """The digests of all rows, in order, 32 bytes each."""

    data: bytes

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.data) // SIZE

    def __getitem__(self, row: int) -> bytes:
        """The digest of a row, counted from 0."""
        return self.data[row * SIZE : (row + 1) * SIZE]

    @property
    def ordered(self) -> str:
        """SHA-256 over the number of rows and their digests in order, as hex."""
        return _digest(_ORDERED, len(self), self.data)

    @property
    def unordered(self) -> str:
        """The same over the digests sorted, as hex: equal for any order of the rows.

        Sorted and not added up, as a row that is there twice must count twice, and as sums and
        XORs of digests can be made to collide.
        """
        digests = sorted(self[row] for row in range(len(self)))
        return _digest(_UNORDERED, len(self), b"".join(digests))

    def write(self, path: Path) -> None:
        """Keep them in a file: 16 bytes of head, then 32 a row."""
        write_whole(path, _MAGIC + self.data)


def digests_of(rows: Iterable[Mapping[str, Any]]) -> RowDigests:
    """The digests of rows as they come; memory grows by 32 bytes a row.

    Raises InputError for a value of a kind that has no byte form, naming row and column.
    """
    data = bytearray()
    for number, row in enumerate(rows):
        data += row_digest(row, f"row {number}")
    return RowDigests(bytes(data))


def read_digests(path: Path) -> RowDigests:
    """Read what `RowDigests.write` kept; InputError if the file is none or breaks off."""
    way_out = "make it again from the data"
    if not path.is_file():
        raise InputError(str(path), "does not exist", way_out)
    with disk_errors(path):
        whole = path.read_bytes()
    if not whole.startswith(_MAGIC) or (len(whole) - len(_MAGIC)) % SIZE:
        raise InputError(str(path), "is no whole file of row digests", way_out)
    return RowDigests(whole[len(_MAGIC) :])


def row_digest(row: Mapping[str, Any], where: str = "row") -> bytes:
    """SHA-256 of a row's byte form: 32 bytes. `where` names the row in the InputError."""
    digest = hashlib.sha256()
    _put(row, digest.update, where)
    return digest.digest()


def _put(value: Any, put: _Put, where: str) -> None:
    """One value in its byte form; a bool is no number, and True is not 1."""
    if isinstance(value, Mapping):
        _put_mapping(value, put, where)
    elif isinstance(value, list | tuple):
        put(b"[%d:" % len(value))
        for item in value:
            _put(item, put, where)
    elif isinstance(value, str):
        _put_bytes(b"s", value.encode("utf-8", "surrogatepass"), put)
    elif isinstance(value, bytes | bytearray | memoryview):
        _put_bytes(b"b", bytes(value), put)
    elif value is None or isinstance(value, bool):
        put({None: b"n;", True: b"t;", False: b"f;"}[value])
    elif isinstance(value, int | float):
        put(_number(value))
    else:
        rule = f"holds a value of type {type(value).__name__}, which has no byte form"
        raise InputError(where, rule, "give numbers, texts, bytes, lists and mappings")


def _put_mapping(value: Mapping[str, Any], put: _Put, where: str) -> None:
    put(b"{%d:" % len(value))
    for key in sorted(value):
        _put_bytes(b"k", key.encode("utf-8", "surrogatepass"), put)
        _put(value[key], put, f"{where}, {key}")


def _put_bytes(kind: bytes, content: bytes, put: _Put) -> None:
    put(b"%b%d:" % (kind, len(content)))
    put(content)


def _number(value: float) -> bytes:
    """A whole number by its digits, whatever it was stored as; any other by its eight bytes."""
    if isinstance(value, int):
        return b"i%d;" % value
    if value.is_integer() and (value or str(value) == "0.0"):
        return b"i%d;" % int(value)
    return b"d" + struct.pack(">d", float("nan") if value != value else value)


def _digest(domain: bytes, count: int, data: bytes) -> str:
    digest = hashlib.sha256(domain + struct.pack(">Q", count))
    digest.update(data)
    return digest.hexdigest()
