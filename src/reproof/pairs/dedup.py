"""Which rows of a pairs file repeat an earlier one, and what the repeats would have done.

Rows come one at a time and are never held: per different pair one digest is kept, with
a few numbers.
"""

from array import array
from collections import Counter
from dataclasses import dataclass
from typing import Any

from reproof.pairs.identity import pair_id, reversed_id, words_id
from reproof.pairs.pair import Pair
from reproof.pairs.tally import EvalTasks, Overlap, Spread, spread_of

KEPT = "kept"
DUPLICATE = "duplicate"
IDENTICAL_SIDES = "identical sides"


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What deduplication needs to know of one row.

    The ids are digests as bytes; `words` tells apart rows with the same actions.
    """

    task_id: str
    goal: str | None
    id: bytes
    turned_id: bytes
    words: bytes
    pos_return: float
    neg_return: float
    margin: float


def facts_of(pair: Pair) -> PairFacts:
    """The facts of one row."""
    return PairFacts(
        pair.task_id,
        pair.goal,
        id=bytes.fromhex(pair_id(pair)),
        turned_id=bytes.fromhex(reversed_id(pair)),
        words=bytes.fromhex(words_id(pair)),
        pos_return=pair.pos_return,
        neg_return=pair.neg_return,
        margin=pair.margin,
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """One row's line in the ledger: kept, or dropped and why. Rows count from 0.

    `of` is the kept row that a duplicate repeats, else None. A row whose two sides do the
    same holds no preference (its loss is a constant), so it is dropped.
    """

    row: int
    pair_id: str
    decision: str
    of: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The line as JSON values; `of` only for a duplicate."""
        line = {"row": self.row, "pair_id": self.pair_id, "decision": self.decision}
        return line if self.of is None else line | {"of": self.of}


class Dedup:
    """Decides row by row, and reports over all rows seen.

    The first row of a pair is kept. The decisions depend on the rows alone, in their
    order; another order changes which row is kept, never which pairs.
    """

    def __init__(self, eval_tasks: EvalTasks | None = None) -> None:
        self._place: dict[bytes, int] = {}
        # One number a kept pair, by place: its row, rows like it, words, margin.
        self._first_row = array("q")
        self._times = array("q")
        self._words = array("Q")
        self._margin = array("d")
        self._seen: Counter[str] = Counter()
        self._rows_of_task: Counter[str] = Counter()
        self._overlap = Overlap(eval_tasks)
        self._spreads = {name: Spread() for name in ("pos_return", "neg_return", "margin")}

    def decide(self, facts: PairFacts) -> Entry:
        """The ledger line of the next row."""
        row = self._seen["raw"]
        self._seen["raw"] += 1
        self._rows_of_task[facts.task_id] += 1
        self._overlap.add(facts.task_id, facts.goal)
        if facts.id == facts.turned_id:
            self._seen[IDENTICAL_SIDES] += 1
            return Entry(row, facts.id.hex(), IDENTICAL_SIDES)
        place = self._place.setdefault(facts.id, len(self._place))
        if place < len(self._first_row):
            self._count_duplicate(place, facts)
            return Entry(row, facts.id.hex(), DUPLICATE, self._first_row[place])
        self._keep(row, facts)
        return Entry(row, facts.id.hex(), KEPT)

    def _keep(self, row: int, facts: PairFacts) -> None:
        self._first_row.append(row)
        self._times.append(1)
        self._words.append(_short(facts.words))
        self._margin.append(facts.margin)
        self._seen["both directions"] += facts.turned_id in self._place
        self._seen["margin not above 0"] += facts.margin <= 0
        for name, spread in self._spreads.items():
            spread.add(getattr(facts, name))

    def _count_duplicate(self, place: int, facts: PairFacts) -> None:
        self._times[place] += 1
        self._seen["other words"] += self._words[place] != _short(facts.words)
        self._seen["other margin"] += self._margin[place] != facts.margin

    def report(self) -> dict[str, Any]:
        """Counts over all rows, as JSON values; a fact that cannot be had says why.

        - `both_directions`: pairs of kept rows that prefer opposite sides of the same two.
        - `weights`: over kept pairs, how many raw rows each had; the pairs that training
          on raw rows would have weighed twice or more, and their share of all weight with
          and without the duplicates.
        - `returns`: of kept rows.
        """
        raw, kept = self._seen["raw"], len(self._first_row)
        duplicates = sum(self._times) - kept
        return {
            "raw": raw,
            "kept": kept,
            "duplicates": duplicates,
            "duplicate_share": duplicates / raw if raw else {"unknown": "no rows"},
            "duplicates_in_other_words": self._seen["other words"],
            "duplicates_with_other_margin": self._seen["other margin"],
            "identical_sides": self._seen[IDENTICAL_SIDES],
            "both_directions": self._seen["both directions"],
            "margin_not_above_0": self._seen["margin not above 0"],
            "tasks": len(self._rows_of_task),
            "rows_per_task": spread_of(self._rows_of_task.values()).to_json(),
            "in_eval_tasks": self._overlap.to_json(),
            "weights": _weights(Counter(self._times)),
            "returns": {name: spread.to_json() for name, spread in self._spreads.items()},
        }


def _short(digest: bytes) -> int:
    """Enough of a digest to tell two texts of one pair apart."""
    return int.from_bytes(digest[:8], "big")


def _weights(pairs_by_rows: Counter[int]) -> dict[str, Any]:
    """What duplicates do to gradient weights, from {raw rows a pair has: pairs}."""
    kept = pairs_by_rows.total()
    heavy = {rows: pairs for rows, pairs in pairs_by_rows.items() if rows > 1}
    rows_of_heavy = sum(rows * pairs for rows, pairs in heavy.items())
    rows = rows_of_heavy + pairs_by_rows[1]
    nothing = {"unknown": "no row is kept"}
    return {
        "pairs_by_rows": {str(rows): pairs_by_rows[rows] for rows in sorted(pairs_by_rows)},
        "pairs_counted_twice_or_more": sum(heavy.values()),
        "their_share_with_duplicates": rows_of_heavy / rows if rows else nothing,
        "their_share_without": sum(heavy.values()) / kept if kept else nothing,
    }
