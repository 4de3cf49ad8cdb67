"""Rows of a pairs file as plain values: streamed in, streamed out, whole or not at all.

Memory is bounded by one batch and one page, never by the file.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from reproof.ground.errors import InputError
from reproof.ground.files import whole_file
from reproof.pairs.columns import SCHEMA, schema_problems

Row = dict[str, Any]
_BATCH_BYTES = 16 << 20
_MOST_ROWS = 64
_FETCH = "fetch or make the file again"
_FORMAT: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 9,
    "write_statistics": False,
    "write_page_checksum": True,
}


def read_rows(path: Path) -> Iterator[Row]:
    """Each row, in order; InputError if the file is none of ours or breaks off."""
    with _opened(path) as table:
        for group in range(table.num_row_groups):
            yield from _group_rows(path, table, group)


def count_rows(path: Path) -> int:
    """The number of rows, from the file's footer; raises as `read_rows` does."""
    with _opened(path) as table:
        return int(table.metadata.num_rows)


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """Write rows as they come, and return how many; equal rows give equal bytes.

    Raises InputError if there are none, and DiskError if the disk will not take them.
    """
    count = 0
    with whole_file(path) as stream, pq.ParquetWriter(stream, SCHEMA, **_FORMAT) as writer:
        for group in _grouped(rows):
            writer.write_table(pa.Table.from_pylist(group, schema=SCHEMA))
            count += len(group)
        if not count:
            raise InputError(str(path), "there are no rows to write", "give at least one")
    return count


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    """A parquet file of our schema with at least one row."""
    if not path.is_file():
        raise InputError(str(path), "is no file" if path.exists() else "does not exist", _FETCH)
    if not path.stat().st_size:
        raise InputError(str(path), "is empty (0 bytes)", _FETCH)
    with _readable(path, "is no whole Parquet file"):
        # Buffered: a page is held at a time, not a whole column of a row group.
        table = pq.ParquetFile(
            path, pre_buffer=False, buffer_size=1 << 16, page_checksum_verification=True
        )
    with table:
        if problems := schema_problems(table.schema_arrow):
            rule = f"has another schema ({'; '.join(problems)})"
            raise InputError(str(path), rule, "use a file of preference pairs")
        if not table.metadata.num_rows:
            raise InputError(str(path), "holds no rows", _FETCH)
        yield table


@contextmanager
def _readable(path: Path, rule: str) -> Iterator[None]:
    """Turn whatever Arrow says of broken bytes into an InputError."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise InputError(str(path), f"{rule} ({reason})", _FETCH) from error


def _group_rows(path: Path, table: pq.ParquetFile, group: int) -> Iterator[Row]:
    """The rows of one row group, in batches of few bytes: theirs may be one big group."""
    facts = table.metadata.row_group(group)
    row_bytes = facts.total_byte_size // max(facts.num_rows, 1) + 1
    size = max(1, min(_MOST_ROWS, _BATCH_BYTES // row_bytes))
    batches = table.iter_batches(batch_size=size, row_groups=[group], use_threads=False)
    while True:
        with _readable(path, f"is damaged in row group {group}"):
            batch = next(batches, None)
            rows: list[Row] = batch.to_pylist() if batch is not None else []
        if batch is None:
            return
        yield from rows


def _grouped(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Row groups, closed by count or by bytes, whichever comes first."""
    group: list[Row] = []
    held = 0
    for row in rows:
        group.append(row)
        held += _row_bytes(row)
        if len(group) >= _MOST_ROWS or held >= _BATCH_BYTES:
            yield group
            group, held = [], 0
    if group:
        yield group


def _row_bytes(row: Mapping[str, Any]) -> int:
    """About how many bytes a row's images, texts and tokens hold."""
    images = sum(len(image or b"") for image in row["processed_images"])
    return images + sum(
        len(step["prompt"])
        + 8 * len(step["response_tokens"])
        + 8 * len(step["prompt_tokens"] or ())
        for step in row["steps"]
    )
