"""Which attempts become pairs: by source row, with a margin, so many a task."""

from hypothesis import given
from hypothesis import strategies as st

from reproof.pairs.preference import Match, match_attempts

ATTEMPTS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([0.0, 0.25, 0.5, 1.0])))


@given(ATTEMPTS, ATTEMPTS, st.integers(1, 4), st.sampled_from([0.25, 0.5, 1.0]))
def test_both_sides_are_attempts_at_one_task_and_differ_enough(
    better: list[tuple[str, float]], worse: list[tuple[str, float]], per_task: int, margin: float
) -> None:
    matches = list(match_attempts(better, worse, per_task, margin))
    assert len(matches) == len(set(matches))
    for task in "abc":
        found = [m for m in matches if better[m.chosen][0] == task]
        fit = [
            (c, r)
            for c, (one, high) in enumerate(better)
            for r, (other, low) in enumerate(worse)
            if one == other == task and high - low >= margin
        ]
        assert len(found) == min(per_task, len(fit))
        assert set(found) <= {Match(*pair) for pair in fit}


def test_attempts_are_taken_in_turn() -> None:
    better, worse = [("a", 1.0)] * 3, [("a", 0.0)] * 3
    matches = list(match_attempts(better, worse, 4, 0.5))
    assert matches[:3] == [(0, 0), (1, 1), (2, 2)]


def test_nothing_looks_at_what_an_attempt_did() -> None:
    """Two equal attempts make two pairs: duplicates by content come from pairing by row."""
    assert len(list(match_attempts([("a", 1.0)] * 2, [("a", 0.0)], 9, 0.5))) == 2
