"""Files that others wrote are read if they say the same, and refused with the reason if not."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reproof.ground.errors import InputError
from reproof.pairs.columns import SCHEMA, schema_problems
from reproof.pairs.example import example_pairs
from reproof.pairs.pair import count_pairs, read_pairs, write_pairs

ROWS = list(example_pairs(70, 3))


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """A good file of 70 rows in two row groups."""
    path = tmp_path / "pairs.parquet"
    write_pairs(path, ROWS)
    return path


def complaint(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        list(read_pairs(path))
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def step_type(**changes: pa.DataType | None) -> pa.DataType:
    """The struct of a step with some fields of another type, or left out."""
    fields = {field.name: field.type for field in SCHEMA.field("steps").type.value_type}
    return pa.struct([(n, t) for n, t in (fields | changes).items() if t is not None])


def with_column(name: str, kind: pa.DataType) -> pa.Schema:
    return SCHEMA.set(SCHEMA.get_field_index(name), pa.field(name, kind))


SAME_IN_OTHER_TYPES = {
    "large lists": with_column(
        "steps",
        pa.large_list(
            step_type(
                image_indices=pa.large_list(pa.int64()),
                response_tokens=pa.large_list(pa.int32()),
                prompt=pa.large_string(),
            )
        ),
    ),
    "small lists": with_column("processed_images", pa.list_(pa.binary())),
    "large texts": with_column("chosen_metadata", pa.large_string()),
    "texts by number": with_column("task_id", pa.dictionary(pa.int32(), pa.string())),
    "narrow numbers": with_column("n_chosen_steps", pa.int32()),
    "no prompt tokens at all": with_column("steps", pa.list_(step_type(prompt_tokens=pa.null()))),
    "columns in another order": pa.schema(list(reversed(list(SCHEMA)))),
}


@pytest.mark.parametrize("schema", SAME_IN_OTHER_TYPES.values(), ids=list(SAME_IN_OTHER_TYPES))
def test_the_same_columns_in_other_types_are_read_alike(tmp_path: Path, schema: pa.Schema) -> None:
    rows = [dataclasses.asdict(pair) for pair in ROWS]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), tmp_path / "theirs.parquet")
    assert list(read_pairs(tmp_path / "theirs.parquet")) == ROWS


OTHER_SCHEMAS: dict[str, pa.Schema] = {
    "column margin is missing": SCHEMA.remove(SCHEMA.get_field_index("margin")),
    "column reward is unknown": SCHEMA.append(pa.field("reward", pa.float64())),
    "column margin is string, must be number": with_column("margin", pa.string()),
    "column task_id is int64, must be text": with_column("task_id", pa.int64()),
    "column task_id is null, must be text": with_column("task_id", pa.null()),
    "column steps is string, must be list": with_column("steps", pa.string()),
    "column steps.status is missing": with_column("steps", pa.list_(step_type(status=None))),
    "column steps.image_indices is string, must be whole number": with_column(
        "steps", pa.list_(step_type(image_indices=pa.list_(pa.string())))
    ),
}


@pytest.mark.parametrize(("rule", "schema"), OTHER_SCHEMAS.items(), ids=list(OTHER_SCHEMAS))
def test_another_schema_is_refused_column_by_column(
    tmp_path: Path, rule: str, schema: pa.Schema
) -> None:
    path = tmp_path / "other.parquet"
    pq.write_table(schema.empty_table(), path)
    assert f"has another schema ({rule})" in complaint(path)


def test_every_column_that_differs_is_named() -> None:
    assert len(schema_problems(pa.schema([("task_id", pa.int8())]))) == len(SCHEMA)


def test_our_own_schema_has_no_problem() -> None:
    assert schema_problems(SCHEMA) == []


def cut_in_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def one_byte_flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 4] ^= 1
    path.write_bytes(bytes(data))


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def no_rows(path: Path) -> None:
    pq.write_table(SCHEMA.empty_table(), path)


BROKEN_FILES: list[tuple[Callable[[Path], Any], str]] = [
    (Path.unlink, "does not exist; fetch or make the file again"),
    (lambda path: path.write_bytes(b""), "is empty (0 bytes); fetch or make the file again"),
    (cut_in_half, "is no whole Parquet file"),
    (lambda path: path.write_bytes(path.read_bytes()[:-1]), "is no whole Parquet file"),
    (lambda path: path.write_text("version https://git-lfs"), "is no whole Parquet file"),
    (one_byte_flipped, "is damaged in row group 0"),
    (a_folder, "is no file"),
    (no_rows, "holds no rows"),
]


@pytest.mark.parametrize(("ruin", "rule"), BROKEN_FILES, ids=[rule for _, rule in BROKEN_FILES])
def test_a_broken_file_is_named_with_the_rule(
    ours: Path, ruin: Callable[[Path], Any], rule: str
) -> None:
    ruin(ours)
    assert rule in complaint(ours)


def test_every_cut_of_a_file_is_noticed(ours: Path) -> None:
    whole = ours.read_bytes()
    for size in range(0, len(whole), len(whole) // 40):
        ours.write_bytes(whole[:size])
        complaint(ours)


def test_a_broken_row_is_counted_over_row_groups(tmp_path: Path) -> None:
    """The number in the message is that of the file, not of the batch."""
    rows = [dataclasses.asdict(pair) for pair in ROWS]
    rows[68]["margin"] = float("nan")
    path = tmp_path / "raw.parquet"
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path, row_group_size=50)
    assert f"{path}: row 68: margin is nan" in complaint(path)


def test_text_that_is_no_utf8_is_damage(tmp_path: Path) -> None:
    row = dataclasses.asdict(ROWS[0]) | {"task_id": "needle"}
    path = tmp_path / "raw.parquet"
    pq.write_table(pa.Table.from_pylist([row], schema=SCHEMA), path, compression="none")
    path.write_bytes(path.read_bytes().replace(b"needle", b"\xff\xfe\xfd\xfc\xfb\xfa"))
    assert "is damaged in row group 0" in complaint(path)


def test_no_rows_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no rows to write"):
        write_pairs(tmp_path / "pairs.parquet", [])
    assert list(tmp_path.iterdir()) == []


def test_the_count_is_that_of_the_footer(ours: Path) -> None:
    assert count_pairs(ours) == 70
