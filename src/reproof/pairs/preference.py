"""Which attempts at a task become pairs: a success against a failure, by source row."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple, TypeVar

AttemptT = TypeVar("AttemptT")


class Match(NamedTuple):
    """Numbers of the chosen and the rejected attempt."""

    chosen: int
    rejected: int


def match_attempts(
    better: Sequence[tuple[Hashable, float]],
    worse: Sequence[tuple[Hashable, float]],
    per_task: int,
    least_margin: float,
) -> Iterator[Match]:
    """Pairs of attempts at the same task whose returns differ enough.

    Attempts are (task, return). At most `per_task` pairs a task, the attempts
    taken in turn. Nothing looks at what an attempt did, so two attempts with the
    same actions make two pairs with the same content: pairing by source row is
    where duplicates come from.
    """
    tasks = dict.fromkeys(task for task, _ in better)
    for task in tasks:
        good = [(n, value) for n, (name, value) in enumerate(better) if name == task]
        bad = [(n, value) for n, (name, value) in enumerate(worse) if name == task]
        fits = (
            Match(chosen, rejected)
            for (chosen, high), (rejected, low) in _in_turn(good, bad)
            if high - low >= least_margin
        )
        yield from islice(fits, per_task)


def _in_turn(
    good: Sequence[AttemptT], bad: Sequence[AttemptT]
) -> Iterable[tuple[AttemptT, AttemptT]]:
    """All combinations, diagonal by diagonal, so that no attempt is used up first."""
    order = sorted(
        product(range(len(good)), range(len(bad))), key=lambda at: (abs(at[0] - at[1]), at)
    )
    return ((good[i], bad[j]) for i, j in order)
