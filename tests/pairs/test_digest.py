import copy
import hashlib
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reproof.ground.errors import InputError
from reproof.pairs.digest import RowDigests, digests_of, read_digests, row_digest
from reproof.pairs.example import example_pairs
from reproof.pairs.pair import write_pairs
from reproof.pairs.rowdiff import RowsDiff, diff_rows
from reproof.pairs.table import read_rows

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
ROWS = st.fixed_dictionaries(
    {
        "task_id": st.text(max_size=4),
        "images": st.lists(st.binary(max_size=6), max_size=3),
        "steps": st.lists(st.fixed_dictionaries({"tokens": st.lists(st.integers())}), max_size=2),
        "extra": VALUES,
    }
)
TABLES = st.lists(ROWS, max_size=8)
# small digests of few kinds, so that equal rows are frequent
LISTS = st.lists(st.sampled_from("abcd"), max_size=9)


def made_of(letters: list[str]) -> RowDigests:
    return RowDigests(b"".join(hashlib.sha256(letter.encode()).digest() for letter in letters))


@given(TABLES, st.randoms(use_true_random=False))
def test_another_order_has_the_same_set_and_another_order(
    rows: list[Any], chance: random.Random
) -> None:
    turned = chance.sample(rows, len(rows))
    before, after = digests_of(rows), digests_of(turned)
    assert before.unordered == after.unordered
    moved = sum(before[row] != after[row] for row in range(len(rows)))
    assert (before.ordered == after.ordered) == (moved == 0)
    assert diff_rows(before, after).kind == ("reordered" if moved else "same")
    assert diff_rows(before, after).moved == moved


@given(TABLES.filter(bool), st.data())
def test_one_changed_value_changes_both_and_its_row_is_named(
    rows: list[Any], data: st.DataObject
) -> None:
    row = data.draw(st.integers(0, len(rows) - 1))
    changed = copy.deepcopy(rows)
    changed[row]["images"].append(b"\0")
    before, after = digests_of(rows), digests_of(changed)
    assert before.unordered != after.unordered
    assert before.ordered != after.ordered
    # unless the row has become what another was, and it is that one that is now there too often
    assume(after[row] not in [before[other] for other in range(len(rows))])
    assume(_all(before).count(before[row]) == 1)
    assert diff_rows(before, after) == RowsDiff("edited", changed=(row,))


def _all(digests: RowDigests) -> list[bytes]:
    return [digests[row] for row in range(len(digests))]


@given(st.binary(min_size=1), st.data())
def test_one_byte_of_an_image_is_another_row(image: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(image) - 1))
    other = bytearray(image)
    other[place] ^= data.draw(st.integers(1, 255))
    assert row_digest({"images": [image]}) != row_digest({"images": [bytes(other)]})


@given(LISTS, LISTS)
def test_the_set_counts_how_often_a_row_is_there(left: list[str], right: list[str]) -> None:
    same = made_of(left).unordered == made_of(right).unordered
    assert same == (Counter(left) == Counter(right))
    assert (made_of(left).ordered == made_of(right).ordered) == (left == right)


@given(LISTS, LISTS)
def test_what_is_named_accounts_for_every_row(left: list[str], right: list[str]) -> None:
    diff = diff_rows(made_of(left), made_of(right))
    lost = Counter(left[row] for row in (*diff.changed, *diff.removed))
    gained = Counter(right[row] for row in (*diff.changed, *diff.added))
    assert lost == Counter(left) - Counter(right)
    assert gained == Counter(right) - Counter(left)
    if diff.kind == "edited" and diff.is_order_kept:
        kept = [letter for row, letter in enumerate(left) if row not in diff.changed + diff.removed]
        others = diff.changed + diff.added
        assert kept == [letter for row, letter in enumerate(right) if row not in others]


@given(VALUES, VALUES)
def test_no_two_values_share_a_form(left: Any, right: Any) -> None:
    if row_digest({"x": left}) == row_digest({"x": right}):
        assert _form(left) == _form(right)


def _form(value: Any) -> Any:
    """A value in another notation of the same rules, for comparison."""
    if isinstance(value, dict):
        return {key: _form(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_form(item) for item in value]
    if isinstance(value, float):
        whole = value.is_integer() and str(value) != "-0.0"
        return ("number", str(int(value)) if whole else str(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return ("number", str(value))
    return (type(value).__name__, value)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": ["b", "c"]}, {"a": ["bc"]}),
        ({"a": [["b"], []]}, {"a": [[], ["b"]]}),
        ({"a": "1"}, {"a": 1}),
        ({"a": b"x"}, {"a": "x"}),
        ({"a": True}, {"a": 1}),
        ({"a": None}, {}),
        ({"a": 0.0}, {"a": -0.0}),
        ({"a": 1}, {"b": 1}),
        ({"a": 2**53}, {"a": 2**53 + 1}),
    ],
)
def test_what_looks_alike_and_is_not(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert row_digest(left) != row_digest(right)


def test_how_a_value_is_stored_does_not_count() -> None:
    row = {"n": [1, 2], "x": 0.5, "t": "text", "i": [b"png"], "s": [{"a": 1, "b": None}]}
    narrow = pa.schema(
        [
            ("n", pa.list_(pa.int32())),
            ("x", pa.float32()),
            ("t", pa.dictionary(pa.int8(), pa.string())),
            ("i", pa.list_(pa.binary())),
            ("s", pa.list_(pa.struct([("a", pa.int8()), ("b", pa.string())]))),
        ]
    )
    wide = pa.schema(
        [
            ("s", pa.large_list(pa.struct([("b", pa.large_string()), ("a", pa.float64())]))),
            ("i", pa.large_list(pa.large_binary())),
            ("t", pa.large_string()),
            ("x", pa.float64()),
            ("n", pa.large_list(pa.float64())),
        ]
    )
    digests = {
        row_digest(pa.Table.from_pylist([row], schema=schema).to_pylist()[0])
        for schema in (narrow, wide)
    }
    assert digests == {row_digest(row)}


def test_nan_is_one_value() -> None:
    assert row_digest({"a": float("nan")}) == row_digest({"a": -float("nan")})


def test_a_value_without_a_form_is_named() -> None:
    with pytest.raises(InputError, match="row 1, a, b: holds a value of type object"):
        digests_of([{"a": {"b": 1}}, {"a": {"b": object()}}])


def test_the_digest_of_a_row_stays_what_it_is() -> None:
    form = b"{2:k1:ab1:xk1:b[3:i1;n;t;"
    assert row_digest({"b": [1.0, None, True], "a": b"x"}) == hashlib.sha256(form).digest()


def test_rows_of_a_pairs_file_are_told_apart_by_a_byte_of_an_image(tmp_path: Path) -> None:
    pairs = list(example_pairs(20, 3))
    write_pairs(tmp_path / "a.parquet", pairs)
    write_pairs(tmp_path / "b.parquet", reversed(pairs))
    rows = list(read_rows(tmp_path / "a.parquet"))
    rows[7]["processed_images"][0] += b"\0"
    before = digests_of(read_rows(tmp_path / "a.parquet"))
    turned = digests_of(read_rows(tmp_path / "b.parquet"))
    assert diff_rows(before, turned).kind == "reordered"
    assert diff_rows(before, digests_of(rows)) == RowsDiff("edited", changed=(7,))


def test_digests_survive_the_disk_at_32_bytes_a_row(tmp_path: Path) -> None:
    digests = made_of(["a", "b", "a"])
    digests.write(tmp_path / "rows")
    assert (tmp_path / "rows").stat().st_size == 16 + 3 * 32
    assert read_digests(tmp_path / "rows") == digests
    assert len(digests) == 3


@pytest.mark.parametrize("content", [b"", b"reproof rows 2\n\0", b"reproof rows 1\n\0x"])
def test_a_broken_file_of_digests_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(content)
    with pytest.raises(InputError, match="is no whole file of row digests"):
        read_digests(tmp_path / "rows")


def test_one_row_in_a_million_is_found_and_named() -> None:
    data = bytearray(random.Random(0).randbytes(32 * 1_000_000))
    before = RowDigests(bytes(data))
    data[32 * 654_321 + 5] ^= 1
    assert diff_rows(before, RowDigests(bytes(data))) == RowsDiff("edited", changed=(654_321,))
    shorter = RowDigests(before.data[: 32 * 10] + before.data[32 * 11 :])
    assert diff_rows(before, shorter) == RowsDiff("edited", removed=(10,))
