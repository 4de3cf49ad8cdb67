"""Reading episodes: what may pass, and that nothing else does."""

import dataclasses
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.errors import DiskError, InputError
from reproof.scores.episode import (
    SUCCESS_AT,
    EpisodeResult,
    check_episodes,
    read_episodes,
    write_episodes,
)

GOOD = EpisodeResult("open-wifi", 0, 0.25, False, 4, "max_steps", None, 1.5, ("tap 1", "back"))
SUCCESS = dataclasses.replace(GOOD, episode_return=1.0, success=True)
BROKEN = EpisodeResult("call-ann", 0, None, None, error="browser died")


@st.composite
def episode_lists(draw: st.DrawFn) -> list[EpisodeResult]:
    """Any rows that keep every rule."""
    tasks = draw(st.lists(st.text("abcé-1", min_size=1), min_size=1, max_size=6, unique=True))
    grouped = draw(st.booleans())
    return [draw(_episode(task, f"goal {task[0]}" if grouped else None)) for task in tasks]


@st.composite
def _episode(draw: st.DrawFn, task: str, group: str | None) -> EpisodeResult:
    actions = draw(st.none() | st.lists(st.text(), max_size=3).map(tuple))
    if draw(st.booleans()):
        return EpisodeResult(task, 0, None, None, error="it broke", actions=actions, group=group)
    value = draw(st.floats(0, 1))
    steps = draw(st.none() | st.integers(0, 99))
    return EpisodeResult(
        task, 0, value, value >= SUCCESS_AT, n_steps=steps, actions=actions, group=group
    )


def rewrite(path: Path, **columns: Any) -> None:
    """A good file of one row with some columns replaced, by another road than our writer."""
    write_episodes(path, [GOOD])
    table = pq.read_table(path)
    for name, column in columns.items():
        index = table.schema.get_field_index(name.rstrip("_"))
        table = table.set_column(index, name.rstrip("_"), column)
    pq.write_table(table, path)


@given(rows=episode_lists())
def test_what_is_written_is_read_back_equal(
    rows: list[EpisodeResult], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("episodes") / "episodes.parquet"

    write_episodes(path, rows)

    assert read_episodes(path) == tuple(rows)


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_episodes(tmp_path / name, [GOOD, BROKEN])

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_good_row_written_by_another_program_is_read(tmp_path: Path) -> None:
    rewrite(tmp_path / "e.parquet", error=pa.nulls(1), seconds=pa.nulls(1))

    (episode,) = read_episodes(tmp_path / "e.parquet")

    assert episode == dataclasses.replace(GOOD, seconds=None)


def test_ten_tenths_are_a_success() -> None:
    almost = 0.0
    for _ in range(10):
        almost += 0.1

    (episode,) = check_episodes("f", [EpisodeResult("t", 0, almost, True)])

    assert almost < 1
    assert not episode.is_partial


@pytest.mark.parametrize(
    ("value", "partial"),
    [(0.0, False), (1e-12, True), (0.5, True), (SUCCESS_AT, False), (1.0, False)],
)
def test_partial_is_more_than_nothing_and_less_than_success(value: float, partial: bool) -> None:
    assert EpisodeResult("t", 0, value, value >= SUCCESS_AT).is_partial is partial


def test_a_broken_episode_is_not_partial() -> None:
    assert not BROKEN.is_partial


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"episode_return": math.nan}, "return is nan, must be finite"),
        ({"episode_return": math.inf}, "return is inf, must be finite"),
        ({"episode_return": -math.inf}, "return is -inf, must be finite"),
        ({"episode_return": None}, "return is missing and no error is given"),
        ({"episode_return": 1.0000001}, "must lie in [0, 1]; check the judge"),
        ({"episode_return": -0.2}, "return is -0.2, must lie in [0, 1]; check the judge"),
        ({"episode_return": 37.93}, "is it a percentage? divide by 100"),
        ({"episode_return": True, "success": True}, "return is True, must be a number"),
        ({"episode_return": "0.5"}, "return is '0.5', must be a number"),
        ({"success": "false"}, "success is 'false', must be true or false"),
        ({"success": None}, "success is None, must be true or false"),
        ({"success": 0}, "success is 0, must be true or false"),
        ({"success": True}, "success is true but return is 0.25"),
        ({"episode_return": 1.0}, "success is false but return is 1.0"),
        ({"error": "died"}, "has an error and yet a return or a success"),
        ({"error": ""}, "error must be a text that is not empty"),
        ({"task_id": ""}, "task_id must be a text that is not empty"),
        ({"task_id": None}, "task_id must be a text that is not empty"),
        ({"sample": -1}, "sample is -1, must be an integer from 0"),
        ({"sample": True}, "sample is True, must be an integer from 0"),
        ({"n_steps": -1}, "n_steps is -1, must be an integer from 0"),
        ({"seconds": math.nan}, "seconds is nan, must be 0 or more"),
        ({"seconds": -1.0}, "seconds is -1.0, must be 0 or more"),
        ({"actions": ("tap", None)}, "actions must be texts, without nulls"),
    ],
)
def test_a_bad_value_is_refused_by_file_row_task_and_rule(
    changes: dict[str, Any], rule: str
) -> None:
    bad = dataclasses.replace(GOOD, **{"task_id": "second", **changes})

    with pytest.raises(InputError) as caught:
        check_episodes("run/e.parquet", [GOOD, bad])

    assert str(caught.value).startswith(f"run/e.parquet, row 1, task {bad.task_id!r}: ")
    assert rule in str(caught.value)


@pytest.mark.parametrize("again", [GOOD, SUCCESS])
def test_a_task_and_sample_may_stand_only_once_whatever_its_return(again: EpisodeResult) -> None:
    with pytest.raises(InputError, match=r"row 1, task 'open-wifi': sample 0 .* already in row 0"):
        check_episodes("f", [GOOD, again])


def test_another_sample_of_a_task_is_no_duplicate() -> None:
    rows = (GOOD, dataclasses.replace(GOOD, sample=1))

    assert check_episodes("f", rows) == rows


def test_no_episodes_are_refused() -> None:
    with pytest.raises(InputError, match="holds no episodes"):
        check_episodes("f", [])


def test_half_a_grouping_is_refused() -> None:
    grouped = dataclasses.replace(GOOD, group="wifi")

    with pytest.raises(InputError, match="only some rows name a group"):
        check_episodes("f", [grouped, dataclasses.replace(GOOD, task_id="other")])


def test_a_task_in_two_groups_is_refused() -> None:
    rows = [dataclasses.replace(GOOD, sample=i, group=f"goal {i}") for i in range(2)]

    with pytest.raises(InputError, match="is in group 'goal 1' and in 'goal 0'"):
        check_episodes("f", rows)


@pytest.mark.parametrize(
    ("columns", "rule"),
    [
        ({"return_": pa.array([True])}, "column 'return' holds bool, must hold double"),
        ({"return_": pa.array(["0.5"])}, "column 'return' holds string, must hold double"),
        ({"return_": pa.array([1])}, "column 'return' holds int64, must hold double"),
        ({"success": pa.array(["false"])}, "column 'success' holds string, must hold bool"),
        ({"actions": pa.array([[1]])}, "column 'actions' holds list<"),
        ({"task_id": pa.array([None], pa.string())}, "task_id must be a text"),
        ({"return_": pa.array([math.nan])}, "row 0, task 'open-wifi': return is nan"),
        ({"return_": pa.nulls(1)}, "return is missing and no error is given"),
    ],
)
def test_a_column_of_another_kind_is_refused(
    tmp_path: Path, columns: dict[str, Any], rule: str
) -> None:
    path = tmp_path / "e.parquet"
    rewrite(path, **columns)

    with pytest.raises(InputError) as caught:
        read_episodes(path)

    assert str(path) in str(caught.value)
    assert rule in str(caught.value)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    path = tmp_path / "e.parquet"
    rewrite(path)
    pq.write_table(pq.read_table(path).drop_columns(["success"]), path)

    with pytest.raises(InputError, match="has no column 'success'"):
        read_episodes(path)


def test_a_column_too_many_is_named(tmp_path: Path) -> None:
    path = tmp_path / "e.parquet"
    rewrite(path)
    pq.write_table(pq.read_table(path).append_column("reward", pa.array([1.0])), path)

    with pytest.raises(InputError, match="column 'reward' that does not belong there"):
        read_episodes(path)


@pytest.mark.parametrize("kept", [0, 1, 100, -1])
def test_a_truncated_file_is_refused(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "e.parquet"
    write_episodes(path, [GOOD])
    path.write_bytes(path.read_bytes()[:kept])

    with pytest.raises(InputError, match="is not a whole parquet file"):
        read_episodes(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_episodes(tmp_path / "none.parquet")
    with pytest.raises(InputError, match="is not a whole parquet file"):
        read_episodes(tmp_path)


def test_the_writer_refuses_what_the_reader_would(tmp_path: Path) -> None:
    path = tmp_path / "e.parquet"

    with pytest.raises(InputError):
        write_episodes(path, [dataclasses.replace(GOOD, success=True)])

    assert not path.exists()


def test_a_path_that_cannot_be_written_is_a_disk_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(DiskError):
        write_episodes(tmp_path / "file" / "e.parquet", [GOOD])
