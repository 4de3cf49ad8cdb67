"""Deduplication accounts for every row, keeps each pair once, and reports by hand-counted facts."""

import tracemalloc
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from reproof.pairs.dedup import DUPLICATE, IDENTICAL_SIDES, KEPT, Dedup, Entry, facts_of
from reproof.pairs.example import example_pair, reworded, turned
from reproof.pairs.pair import Pair
from reproof.pairs.tally import EvalTasks

A, B, C = (example_pair(index, 0) for index in (0, 4, 8))


def same_sides(pair: Pair) -> Pair:
    """A pair whose two sides do the same."""
    steps = pair.chosen + pair.chosen
    return replace(pair, steps=steps, n_chosen_steps=len(pair.chosen))


# Rows of few kinds, so that a short list has every sort of repeat.
ROWS = st.lists(
    st.builds(
        lambda index, change: change(example_pair(index, 0)),
        st.integers(0, 3),
        st.sampled_from([lambda pair: pair, reworded, turned, same_sides]),
    ),
    max_size=12,
)
LAW = settings(max_examples=60, deadline=None)


def decide(rows: Iterable[Pair], eval_tasks: EvalTasks | None = None) -> list[Entry]:
    decisions = Dedup(eval_tasks)
    return [decisions.decide(facts_of(pair)) for pair in rows]


def report(rows: Iterable[Pair], eval_tasks: EvalTasks | None = None) -> dict[str, Any]:
    decisions = Dedup(eval_tasks)
    for pair in rows:
        decisions.decide(facts_of(pair))
    return decisions.report()


def kept_rows(rows: list[Pair]) -> list[Pair]:
    return [rows[entry.row] for entry in decide(rows) if entry.decision == KEPT]


@LAW
@given(ROWS)
def test_to_deduplicate_twice_changes_nothing_more(rows: list[Pair]) -> None:
    once = kept_rows(rows)
    assert kept_rows(once) == once


@LAW
@given(ROWS, st.data())
def test_the_order_of_rows_changes_which_is_kept_never_the_set_of_pairs(
    rows: list[Pair], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(rows))
    kept = [{e.pair_id for e in decide(r) if e.decision == KEPT} for r in (rows, shuffled)]
    assert kept[0] == kept[1]
    counts = ("raw", "kept", "duplicates", "identical_sides", "both_directions", "tasks")
    one, other = report(rows), report(shuffled)
    assert [one[name] for name in counts] == [other[name] for name in counts]


@LAW
@given(ROWS)
def test_every_row_is_kept_or_dropped_for_a_reason(rows: list[Pair]) -> None:
    ledger, counts = decide(rows), report(rows)
    assert [entry.row for entry in ledger] == list(range(len(rows)))
    dropped = counts["duplicates"] + counts["identical_sides"]
    assert counts["kept"] + dropped == counts["raw"] == len(rows)
    for name, decision in (
        ("kept", KEPT),
        ("duplicates", DUPLICATE),
        ("identical_sides", IDENTICAL_SIDES),
    ):
        assert counts[name] == sum(entry.decision == decision for entry in ledger)


@LAW
@given(ROWS)
def test_a_duplicate_points_to_the_first_row_of_its_pair(rows: list[Pair]) -> None:
    ledger = decide(rows)
    first: dict[str, int] = {}
    for entry in ledger:
        first.setdefault(entry.pair_id, entry.row)
    for entry in ledger:
        assert entry.of == (first[entry.pair_id] if entry.decision == DUPLICATE else None)
        if entry.decision == KEPT:
            assert first[entry.pair_id] == entry.row


def test_the_ledger_reads_as_lines_of_plain_values() -> None:
    lines = [entry.to_json() for entry in decide([A, reworded(A), same_sides(B)])]
    assert [line | {"pair_id": ""} for line in lines] == [
        {"row": 0, "pair_id": "", "decision": "kept"},
        {"row": 1, "pair_id": "", "decision": "duplicate", "of": 0},
        {"row": 2, "pair_id": "", "decision": "identical sides"},
    ]


def test_the_counts_are_those_done_by_hand() -> None:
    counts = report([A, B, A, reworded(A), turned(B), same_sides(C), B])
    assert counts["raw"] == 7
    assert counts["kept"] == 3
    assert counts["duplicates"] == 3
    assert counts["duplicate_share"] == 3 / 7
    assert counts["duplicates_in_other_words"] == 1
    assert counts["identical_sides"] == 1
    assert counts["both_directions"] == 1
    assert counts["margin_not_above_0"] == 1
    assert counts["tasks"] == 3
    assert counts["rows_per_task"] == {"min": 1, "mean": 7 / 3, "max": 3}


def test_weights_show_what_duplicates_would_have_done() -> None:
    """A stands three times and B twice among six rows, yet they are two of three pairs."""
    assert report([A, A, A, B, B, C])["weights"] == {
        "pairs_by_rows": {"1": 1, "2": 1, "3": 1},
        "pairs_counted_twice_or_more": 2,
        "their_share_with_duplicates": 5 / 6,
        "their_share_without": 2 / 3,
    }


def test_a_duplicate_with_another_margin_is_counted() -> None:
    other = replace(A, margin=A.margin / 2, neg_return=A.pos_return - A.margin / 2)
    assert report([A, other, A])["duplicates_with_other_margin"] == 1


def test_returns_are_those_of_kept_rows() -> None:
    low = replace(A, pos_return=0.5, neg_return=0.25, margin=0.25)
    high = replace(B, pos_return=1.0, neg_return=0.0, margin=1.0)
    assert report([low, high, high])["returns"] == {
        "pos_return": {"min": 0.5, "mean": 0.75, "max": 1.0},
        "neg_return": {"min": 0.0, "mean": 0.125, "max": 0.25},
        "margin": {"min": 0.25, "mean": 0.625, "max": 1.0},
    }


def test_training_tasks_among_the_evaluation_tasks_are_counted_once() -> None:
    goal = A.goal
    assert goal is not None
    tasks = EvalTasks(frozenset({A.task_id, "other"}), frozenset({goal, "other goal"}))
    assert report([A, A, B], tasks)["in_eval_tasks"] == {"task_ids": 1, "goals": 1}
    assert report([B, C], tasks)["in_eval_tasks"] == {"task_ids": 0, "goals": 0}


def test_what_cannot_be_known_of_the_overlap_is_said() -> None:
    assert "unknown" in report([A])["in_eval_tasks"]
    goalless = replace(A, chosen_metadata="{}")
    overlap = report([A, goalless], EvalTasks(frozenset(), frozenset()))["in_eval_tasks"]
    assert overlap["task_ids"] == 0
    assert overlap["goals"] == {"unknown": "1 rows have no goal in chosen_metadata"}


def test_no_rows_give_no_numbers_but_reasons() -> None:
    counts = report([])
    assert counts["raw"] == 0
    assert counts["duplicate_share"] == {"unknown": "no rows"}
    assert counts["returns"]["margin"] == {"unknown": "no rows"}


def test_a_decision_needs_memory_for_a_digest_not_for_the_row() -> None:
    """Two thousand repeats add nothing; a new pair adds some hundred bytes."""
    facts = facts_of(A)
    decisions = Dedup()
    decisions.decide(facts)
    tracemalloc.start()
    for _ in range(2000):
        decisions.decide(facts)
    repeats = tracemalloc.get_traced_memory()[0]
    for number in range(2000):
        digest = number.to_bytes(32, "big")
        decisions.decide(replace(facts, id=digest))
    new = tracemalloc.get_traced_memory()[0] - repeats
    tracemalloc.stop()
    assert repeats < 2000
    assert new / 2000 < 400
