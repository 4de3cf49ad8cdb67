"""How one data set differs from another, row by row, from their digests alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reproof.pairs.digest import SIZE, RowDigests

Kind = Literal["same", "reordered", "edited"]


@dataclass(frozen=True, slots=True)
class RowsDiff:
    """What became of the rows; all are counted from 0 and sorted.

    - same: every row where it was. reordered: the same rows, each as often, in other places.
      edited: some row is not the same.
    - `changed`: rows, by the place that they have in both, whose content was replaced.
    - `removed` (by their place before) and `added` (by their place after): all others.
    - `moved`: of a reordering, how many rows do not stand where they stood. `is_order_kept`:
      whether the rows that both have stand in the same order.
    """

    kind: Kind
    changed: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    moved: int = 0
    is_order_kept: bool = True


def diff_rows(before: RowDigests, after: RowDigests) -> RowsDiff:
    """Tell a reordering from an edit, and name the rows that were edited.

    Rows that are equal are told apart by nothing: where one of two equal rows is gone, the one
    that is named is one whose place no longer holds it.
    """
    if before == after:
        return RowsDiff("same")
    old, new = _apart(before, after)
    lost, gained = Counter(d for _, d in old), Counter(d for _, d in new)
    removed, added = _unmatched(old, lost - gained), _unmatched(new, gained - lost)
    if not removed and not added:
        return RowsDiff("reordered", moved=len(old), is_order_kept=False)
    changed = removed & added
    return RowsDiff(
        kind="edited",
        changed=tuple(sorted(changed)),
        removed=tuple(sorted(removed - changed)),
        added=tuple(sorted(added - changed)),
        is_order_kept=_kept(old, removed) == _kept(new, added),
    )


Rows = Sequence[tuple[int, bytes]]


def _apart(before: RowDigests, after: RowDigests) -> tuple[Rows, Rows]:
    """The rows of either that do not stand in the same place in the other.

    With rows put in or taken out, all that follow stand elsewhere: then the common head and
    tail are left out instead.
    """
    left, right = _table(before), _table(after)
    if len(left) == len(right):
        places = np.flatnonzero((left != right).any(axis=1)).tolist()
        return [(row, before[row]) for row in places], [(row, after[row]) for row in places]
    head = _common(left, right)
    tail = _common(left[head:][::-1], right[head:][::-1])
    return (
        [(row, before[row]) for row in range(head, len(left) - tail)],
        [(row, after[row]) for row in range(head, len(right) - tail)],
    )


def _table(digests: RowDigests) -> NDArray[np.uint64]:
    return np.frombuffer(digests.data, np.uint64).reshape(-1, SIZE // 8)


def _common(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> int:
    """How many rows are the same from the start on."""
    count = min(len(left), len(right))
    different = np.flatnonzero((left[:count] != right[:count]).any(axis=1))
    return int(different[0]) if len(different) else count


def _unmatched(rows: Rows, surplus: Counter[bytes]) -> frozenset[int]:
    """Places of the rows that the other side lacks; of equal rows the last ones."""
    open_ones = surplus.copy()
    found = []
    for row, digest in reversed(rows):
        if open_ones[digest] > 0:
            open_ones[digest] -= 1
            found.append(row)
    return frozenset(found)


def _kept(rows: Rows, without: frozenset[int]) -> list[bytes]:
    return [digest for row, digest in rows if row not in without]
