"""What an evaluation log of others is judged to be: faults by name, and whether they are proven."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from reproof.ground.unknown import plain

CONTRADICTION = "contradiction"
CONFOUND = "confound"
GAP = "not recorded"


class Fault(NamedTuple):
    """Something in a log that changes what its numbers mean.

    `weight`: contradiction, when two facts of the log exclude each other;
    confound, when numbers of one table do not measure the same; not recorded.
    """

    kind: str
    weight: str
    where: str
    says: str


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row with its number, its denominator, and the mean over all tasks with errors as 0."""

    model: str
    mean: float | None
    valid: int
    tasks: int
    mean_over_all: float | None
    total: float | None


@dataclass(frozen=True, slots=True)
class LogAudit:
    """A log, its rows and its faults."""

    file: str
    sha256: str
    env: str
    variant: str
    definition: str
    scoring: str
    rows: tuple[LogRow, ...]
    faults: tuple[Fault, ...]

    @property
    def exit_code(self) -> int:
        """1 when something is contradicted."""
        return int(any(fault.weight == CONTRADICTION for fault in self.faults))

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        value: dict[str, Any] = plain(self)
        return value
