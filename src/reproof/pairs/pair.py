"""A preference pair of two trajectories, and files of them, read strictly.

A file is one parquet table in the schema of the public DPO data sets. One row is one
pair; the chosen trajectory's steps come first, then the rejected one's, and both point
into one list of images. Rows count from 0.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproof.ground.errors import InputError
from reproof.pairs.table import Row, count_rows, read_rows, write_rows

STATUSES = ("completed", "truncated", "aborted", "failed")
_PNG = b"\x89PNG\r\n\x1a\n"
_MARGIN_SLACK = 1e-6
_MEND = "mend this row (rows count from 0) or make the file again"


@dataclass(frozen=True, slots=True)
class PairStep:
    """One turn of a trajectory: its own rendered prompt, and what the policy wrote.

    `image_indices` point into the pair's images, in the order of the prompt's image
    places. Tokens are those of the rollout; `prompt_tokens` is None where not recorded.
    """

    prompt: str
    image_indices: tuple[int, ...]
    response: str
    response_tokens: tuple[int, ...]
    reward: float
    status: str
    prompt_tokens: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two trajectories of one task, the first preferred.

    `processed_images` holds PNG files; no bytes stand for a null, a placeholder that no step may
    point to. The metadata are JSON objects as text. More rules: see `pair_problems`.
    """

    task_id: str
    margin: float
    pos_return: float
    neg_return: float
    processed_images: tuple[bytes, ...]
    steps: tuple[PairStep, ...]
    n_chosen_steps: int
    chosen_metadata: str
    rejected_metadata: str

    @property
    def chosen(self) -> tuple[PairStep, ...]:
        """The steps of the preferred trajectory."""
        return self.steps[: self.n_chosen_steps]

    @property
    def rejected(self) -> tuple[PairStep, ...]:
        """The steps of the other trajectory."""
        return self.steps[self.n_chosen_steps :]

    @property
    def goal(self) -> str | None:
        """The goal in words, if the chosen trajectory's metadata give it."""
        goal = json.loads(self.chosen_metadata).get("goal")
        return goal if isinstance(goal, str) else None

    def images_of(self, step: PairStep) -> tuple[bytes, ...]:
        """The PNG files that a step's prompt shows, in order."""
        return tuple(self.processed_images[index] for index in step.image_indices)


def read_pairs(path: Path) -> Iterator[Pair]:
    """Each row of a pairs file, in order; memory does not grow with the file.

    Raises InputError that names file, row and rule, at the first row that breaks one.
    """
    for number, row in enumerate(read_rows(path)):
        yield parse_pair(row, f"{path}: row {number}")


def count_pairs(path: Path) -> int:
    """The number of rows, without reading them; raises InputError if there is no such file."""
    return count_rows(path)


def write_pairs(path: Path, rows: Iterable[Pair]) -> int:
    """Write pairs as they come, whole or not at all; the same pairs give the same bytes.

    Returns how many. Raises InputError for a pair that `read_pairs` would refuse, or for
    none at all, and DiskError if the disk will not take them.
    """
    return write_rows(path, (_to_row(f"{path}: row {n}", pair) for n, pair in enumerate(rows)))


def pair_problems(pair: Pair) -> Iterator[str]:
    """Each rule that a pair breaks, in words."""
    if not pair.task_id:
        yield "task_id is empty"
    yield from _return_problems(pair)
    yield from _cut_problems(pair.n_chosen_steps, len(pair.steps))
    for index, step in enumerate(pair.steps):
        yield from (f"steps[{index}].{problem}" for problem in _step_problems(pair, step))
    for name in ("chosen_metadata", "rejected_metadata"):
        if not _is_json_object(getattr(pair, name)):
            yield f"{name} is no JSON object"


def _return_problems(pair: Pair) -> Iterator[str]:
    values = {name: getattr(pair, name) for name in ("margin", "pos_return", "neg_return")}
    if odd := [name for name, value in values.items() if not math.isfinite(value)]:
        yield from (f"{name} is {values[name]}, must be a finite number" for name in odd)
        return
    difference = pair.pos_return - pair.neg_return
    if abs(pair.margin - difference) > _MARGIN_SLACK:
        yield f"margin is {pair.margin:.9g}, but pos_return - neg_return is {difference:.9g}"


def _cut_problems(cut: int, count: int) -> Iterator[str]:
    if not 0 <= cut <= count:
        yield f"n_chosen_steps is {cut}, but the row has {count} steps"
    elif cut in (0, count):
        side = "rejected" if cut else "chosen"
        yield f"the {side} trajectory is empty (n_chosen_steps is {cut} of {count} steps)"


def _step_problems(pair: Pair, step: PairStep) -> Iterator[str]:
    images = pair.processed_images
    for index in step.image_indices:
        if not 0 <= index < len(images):
            yield f"image_indices holds {index}, but the row has {len(images)} images"
        elif not images[index].startswith(_PNG):
            yield f"image_indices holds {index}, and that image is no PNG file"
    if step.status not in STATUSES:
        yield f"status is {step.status!r}, must be one of {', '.join(STATUSES)}"
    if not math.isfinite(step.reward):
        yield f"reward is {step.reward}, must be a finite number"
    for name in ("response_tokens", "prompt_tokens"):
        if min(getattr(step, name) or (0,)) < 0:
            yield f"{name} holds a number below 0"


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def parse_pair(row: Mapping[str, Any], where: str) -> Pair:
    """One row of a table with our columns as a checked Pair; other columns are left out.

    `where` names file and row in the InputError, which is raised for a null or for the
    first rule of `pair_problems` that the row breaks.
    """
    try:
        steps = tuple(_parse_step(f"steps[{n}]", s) for n, s in enumerate(row["steps"] or ()))
        images = tuple(image or b"" for image in row["processed_images"] or ())
        own = {name: row[name] for name in Pair.__slots__}
        pair = Pair(**_present(own | {"steps": steps, "processed_images": images}, ""))
    except _NullError as error:
        raise InputError(where, f"{error} is null", _MEND) from error
    return _checked(where, pair)


class _NullError(Exception):
    """A value that must be there is null; the text is its name."""


def _parse_step(name: str, values: Mapping[str, Any] | None) -> PairStep:
    if values is None:
        raise _NullError(name)
    own = {column: values[column] for column in PairStep.__slots__}
    if own["prompt_tokens"] is not None:
        return PairStep(**_present(own, f"{name}."))
    return PairStep(**_present(own | {"prompt_tokens": ()}, f"{name}.") | {"prompt_tokens": None})


def _present(values: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The values with lists as tuples; a null, or a list that holds one, is an error."""
    present = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    for name, value in present.items():
        if value is None:
            raise _NullError(prefix + name)
        if isinstance(value, tuple) and None in value:
            raise _NullError(f"a value in {prefix}{name}")
    return present


def _checked(where: str, pair: Pair) -> Pair:
    for problem in pair_problems(pair):
        raise InputError(where, problem, _MEND)
    return pair


def _to_row(where: str, pair: Pair) -> Row:
    """A checked pair as plain values; the names are the columns."""
    _checked(where, pair)
    row = {name: getattr(pair, name) for name in Pair.__slots__}
    row["processed_images"] = [image or None for image in pair.processed_images]
    row["steps"] = [
        {name: getattr(step, name) for name in PairStep.__slots__} for step in pair.steps
    ]
    return row
