"""What a model card says: numbers with their places, tables, statements, claims in words.

Nothing here is judged yet. A number is kept as it was printed, because only the
printed text says how it was rounded.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from reproof.ground.unknown import Unknown

METRICS = ("mean_return", "success", "success_rate", "partial")
"""Metrics that can be recomputed; other columns are kept under the name they have."""

COUNTS = ("success", "partial")
CONDITIONS = {
    "n": "another denominator",
    "judge": "another metric definition",
    "metric": "another metric definition",
    "config": "mixed configurations",
    "max_steps": "mixed configurations",
    "temperature": "mixed configurations",
    "split": "mixed configurations",
    "env": "mixed configurations",
    "commit": "mixed configurations",
    "epochs": "another learning-rate horizon",
}
"""Columns that say under what a row was measured, and what it means when rows of one table differ.
"""
_SLACK = 1e-9


class Place(NamedTuple):
    """Where something was read: a file and a line from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Span(NamedTuple):
    """All values that a printed number can stand for, both ends included."""

    low: float
    high: float

    def meets(self, other: "Span") -> bool:
        """Whether one value can be both."""
        return self.low <= other.high + _SLACK and other.low <= self.high + _SLACK

    def minus(self, other: "Span") -> "Span":
        """Every difference of the two."""
        return Span(self.low - other.high, self.high - other.low)

    def over(self, divisor: float) -> "Span":
        """Divided by a number above 0."""
        return Span(self.low / divisor, self.high / divisor)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as printed. `26.17%` has value 26.17, is_percent, and two decimals."""

    text: str
    place: Place
    is_percent: bool = False

    @property
    def value(self) -> float:
        """In the unit it is printed in."""
        return float(self.text)

    @property
    def decimals(self) -> int:
        """Places after the point; 7 for 4.37e-5."""
        return max(0, -int(Decimal(self.text).as_tuple().exponent))

    @property
    def is_whole(self) -> bool:
        """Printed without a point: a count, if it counts anything."""
        return self.decimals == 0

    @property
    def span(self) -> Span:
        """The rounding interval, in the printed unit."""
        half = 0.5 * 10.0**-self.decimals
        return Span(self.value - half, self.value + half)

    @property
    def share(self) -> Span:
        """The rounding interval as a fraction of 1."""
        return self.span.over(100 if self.is_percent else 1)

    def __str__(self) -> str:
        return f"{self.text}{' %' if self.is_percent else ''}"


Cell = Number | Unknown


@dataclass(frozen=True, slots=True)
class ClaimedRow:
    """One line of a table: what it is about, its numbers, and under what they were measured."""

    label: str
    cells: Mapping[str, Cell]
    place: Place
    conditions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClaimedTable:
    """A table of results. `n` is the denominator that the card names for it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[ClaimedRow, ...]
    n: int | Unknown
    place: Place


@dataclass(frozen=True, slots=True)
class ChangeSaid:
    """`0.3758 -> 0.3865 (+0.011)`: a change and its size; `metric` is the word before it."""

    metric: str
    before: Number
    after: Number
    delta: Number


@dataclass(frozen=True, slots=True)
class ReductionSaid:
    """`336 → 276 pairs`."""

    before: Number
    after: Number
    unit: str


@dataclass(frozen=True, slots=True)
class PercentSaid:
    """A percentage in a sentence; `about` is the text in front of it."""

    number: Number
    about: str


@dataclass(frozen=True, slots=True)
class ScoreSaid:
    """`0.3793 / 72`: a mean return and a count of successes."""

    mean: Number
    success: Number


@dataclass(frozen=True, slots=True)
class WithinSaid:
    """`0.3793 / 72 ... 0.3758 / 72 ... mean within 0.0035`, all in one paragraph."""

    first: ScoreSaid
    second: ScoreSaid
    within: Number
    says_same_count: bool


@dataclass(frozen=True, slots=True)
class CheckpointSaid:
    """`iter_137 (epoch 2`: the number in a checkpoint's name and the epoch it ends."""

    iteration: int
    epoch: int
    place: Place


ONE_EPOCH_RUN = "a run of one epoch"


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence that changes how numbers may be compared. `about` is ONE_EPOCH_RUN so far."""

    about: str
    place: Place


@dataclass(frozen=True, slots=True)
class Card:
    """Everything that was recognised in a card."""

    file: str
    sha256: str
    text: str = field(repr=False)
    tables: tuple[ClaimedTable, ...] = ()
    changes: tuple[ChangeSaid, ...] = ()
    reductions: tuple[ReductionSaid, ...] = ()
    percents: tuple[PercentSaid, ...] = ()
    withins: tuple[WithinSaid, ...] = ()
    checkpoints: tuple[CheckpointSaid, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """One measured model, as far as the card tells. `experiment` groups what was one set-up."""

    name: str
    experiment: str
    place: Place
    n: int | Unknown
    mean_return: Cell
    success: Cell
    partial: Cell
    success_rate: Cell = field(default_factory=lambda: Unknown("the card gives no rate"))

    def cell(self, metric: str) -> Cell:
        """The number of one metric."""
        cell: Cell = getattr(self, metric)
        return cell


def table_results(table: ClaimedTable) -> tuple[Result, ...]:
    """The rows of a table that names its metrics; none when it does not."""
    if not set(table.columns) & {"mean_return", "success"}:
        return ()
    return tuple(row_result(table, row) for row in table.rows)


def row_result(table: ClaimedTable, row: ClaimedRow) -> Result:
    """One row; a metric without a column is unknown."""
    cells = {
        metric: row.cells.get(metric, Unknown(f"the table has no {metric}")) for metric in METRICS
    }
    own = row.conditions.get("n", "")
    n = int(own) if own.isdecimal() else table.n
    return Result(row.label, table.title, row.place, n, **cells)


def count(cell: Cell) -> int | None:
    """A whole number, or None when it is unknown or printed with a point."""
    if isinstance(cell, Unknown) or not cell.is_whole or cell.is_percent:
        return None
    return int(cell.value)


def is_close(first: float, second: float) -> bool:
    """Equal up to the noise of floating point."""
    return math.isclose(first, second, rel_tol=0, abs_tol=_SLACK)
