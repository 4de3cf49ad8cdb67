"""What one attempt at one task gave, and a strict reader and writer for files of them.

Statistics that skip a bad row look better than they are, so nothing here is
dropped or repaired: the first row that breaks a rule stops the reading.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from reproof.ground.errors import InputError
from reproof.ground.files import write_whole

SUCCESS_AT = 1 - 1e-9
"""Ten tenths add up to 0.9999999999999999; that is a success."""

_SCHEMA = pa.schema(
    [
        ("task_id", pa.string()),
        ("sample", pa.int64()),
        ("return", pa.float64()),
        ("success", pa.bool_()),
        ("n_steps", pa.int64()),
        ("stop_reason", pa.string()),
        ("error", pa.string()),
        ("seconds", pa.float64()),
        ("actions", pa.list_(pa.string())),
        ("group", pa.string()),
    ]
)
_FIELD_OF = {"return": "episode_return"}
_PERCENT_FROM = 1.01


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """One row: a task, which attempt at it, and the result.

    `episode_return` lies in [0, 1] and is None exactly when `error` is set: a
    run that broke is no 0. `group` is the whole goal that the task varies;
    tasks of one group are no independent evidence. `seconds` is wall time.
    """

    task_id: str
    sample: int
    episode_return: float | None
    success: bool | None
    n_steps: int | None = None
    stop_reason: str | None = None
    error: str | None = None
    seconds: float | None = None
    actions: tuple[str, ...] | None = None
    group: str | None = None

    @property
    def is_partial(self) -> bool:
        """Whether the return is more than nothing and less than a success."""
        return self.episode_return is not None and 0 < self.episode_return < SUCCESS_AT


def read_episodes(path: Path) -> tuple[EpisodeResult, ...]:
    """The rows of a parquet file, in its order; InputError on the first broken rule."""
    table = _read_table(path)
    _check_columns(path, table.schema)
    return check_episodes(str(path), (_from_row(row) for row in table.to_pylist()))


def write_episodes(path: Path, episodes: Iterable[EpisodeResult]) -> None:
    """Write a parquet file that `read_episodes` will take; the same rows give the same bytes."""
    rows = [_to_row(episode) for episode in check_episodes(str(path), episodes)]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA), sink)
    write_whole(path, sink.getvalue().to_pybytes())


def check_episodes(where: str, episodes: Iterable[EpisodeResult]) -> tuple[EpisodeResult, ...]:
    """The same episodes, when every rule holds; else InputError with file, row and task."""
    checked = tuple(episodes)
    if not checked:
        raise InputError(where, "holds no episodes", "run the evaluation again")
    for row, episode in enumerate(checked):
        for rule, way_out in _broken_rules(episode):
            raise InputError(f"{where}, row {row}, task {episode.task_id!r}", rule, way_out)
    _check_unique(where, checked)
    _check_groups(where, checked)
    return checked


def _read_table(path: Path) -> pa.Table:
    try:
        with path.open("rb") as stream:
            # Without threads, which may abort the process as it ends (apache/arrow#34314), and
            # not through read_table, which imports pandas where there is one.
            return pq.ParquetFile(stream).read(use_threads=False)
    except FileNotFoundError as error:
        raise InputError(str(path), "does not exist", "run the evaluation first") from error
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        rule = f"is not a whole parquet file ({reason})"
        raise InputError(str(path), rule, "run the evaluation again") from error


def _check_columns(path: Path, schema: pa.Schema) -> None:
    for name in _SCHEMA.names:
        if name not in schema.names:
            raise InputError(str(path), f"has no column {name!r}", "run the evaluation again")
    for field in schema:
        wanted = _SCHEMA.field(field.name).type if field.name in _SCHEMA.names else None
        if wanted is None or schema.names.count(field.name) > 1:
            rule = f"has a column {field.name!r} that does not belong there"
            raise InputError(str(path), rule, "leave only the columns of an episodes file")
        if not _is_like(field.type, wanted):
            rule = f"column {field.name!r} holds {field.type}, must hold {wanted}"
            raise InputError(str(path), rule, "convert the column where the file is made")


def _is_like(actual: pa.DataType, wanted: pa.DataType) -> bool:
    """Same type; a column of nulls only, or a list with another name for its item, will do."""
    if pa.types.is_list(wanted) and pa.types.is_list(actual):
        return _is_like(actual.value_type, wanted.value_type)
    return bool(actual == wanted or pa.types.is_null(actual))


def _from_row(row: Mapping[str, Any]) -> EpisodeResult:
    fields = {_FIELD_OF.get(name, name): value for name, value in row.items()}
    if fields["actions"] is not None:
        fields["actions"] = tuple(fields["actions"])
    return EpisodeResult(**fields)


def _to_row(episode: EpisodeResult) -> dict[str, Any]:
    return {name: getattr(episode, _FIELD_OF.get(name, name)) for name in _SCHEMA.names}


def _broken_rules(episode: EpisodeResult) -> Iterator[tuple[str, str]]:
    """Each broken rule with the way out."""
    if not isinstance(episode.task_id, str) or not episode.task_id:
        yield "task_id must be a text that is not empty", "name the task"
    if not _is_count(episode.sample):
        yield f"sample is {episode.sample!r}, must be an integer from 0", "number the attempts"
    if episode.n_steps is not None and not _is_count(episode.n_steps):
        yield f"n_steps is {episode.n_steps!r}, must be an integer from 0", "leave it null"
    if episode.seconds is not None and not (_is_finite(episode.seconds) and episode.seconds >= 0):
        yield f"seconds is {episode.seconds!r}, must be 0 or more", "leave it null"
    if episode.actions is not None and not all(isinstance(a, str) for a in episode.actions):
        yield "actions must be texts, without nulls", "leave it null"
    if episode.error is not None:
        yield from _broken_error_rules(episode)
    elif episode.episode_return is None:
        yield "return is missing and no error is given", "run the task again or give the error"
    else:
        yield from _broken_return_rules(episode.episode_return)
        yield from _broken_success_rules(episode.episode_return, episode.success)


def _broken_error_rules(episode: EpisodeResult) -> Iterator[tuple[str, str]]:
    if not isinstance(episode.error, str) or not episode.error:
        yield "error must be a text that is not empty", "leave it null when there was none"
    if episode.episode_return is not None or episode.success is not None:
        rule = "has an error and yet a return or a success"
        yield rule, "leave return and success null for a task that broke"


def _broken_return_rules(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield f"return is {value!r}, must be a number", "write it as a number in [0, 1]"
    elif not math.isfinite(value):
        yield f"return is {value}, must be finite", "run the task again or give the error"
    elif value < 0 or value > 1:
        percent = _PERCENT_FROM < value <= 100
        hint = "is it a percentage? divide by 100" if percent else "check the judge"
        yield f"return is {value}, must lie in [0, 1]", hint


def _broken_success_rules(value: float, success: object) -> Iterator[tuple[str, str]]:
    if not isinstance(success, bool):
        yield f"success is {success!r}, must be true or false", "write it as a boolean"
    elif success != (value >= SUCCESS_AT):
        rule = f"success is {str(success).lower()} but return is {value}"
        yield rule, "success means a return of 1; check the judge"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _check_unique(where: str, episodes: tuple[EpisodeResult, ...]) -> None:
    first: dict[tuple[str, int], int] = {}
    for row, episode in enumerate(episodes):
        key = (episode.task_id, episode.sample)
        if key in first:
            rule = f"sample {episode.sample} of this task is already in row {first[key]}"
            place = f"{where}, row {row}, task {episode.task_id!r}"
            raise InputError(place, rule, "keep one row a task and sample")
        first[key] = row


def _check_groups(where: str, episodes: tuple[EpisodeResult, ...]) -> None:
    """Half a grouping would make some tasks look independent; two groups for a task, both."""
    has_groups = episodes[0].group is not None
    group_of: dict[str, str | None] = {}
    for row, episode in enumerate(episodes):
        place = f"{where}, row {row}, task {episode.task_id!r}"
        if (episode.group is not None) != has_groups or episode.group == "":
            raise InputError(place, "only some rows name a group", "give all rows one, or none")
        if group_of.setdefault(episode.task_id, episode.group) != episode.group:
            rule = f"is in group {episode.group!r} and in {group_of[episode.task_id]!r}"
            raise InputError(place, rule, "give every task one group")
