"""Several models under one protocol: the table, what changed, and what the evidence allows.

The baseline (a policy that never looks) is shown and beaten or not, but is no
candidate: it is never ranked or recommended.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown, plain
from reproof.scores.evaluation import EvalResult, Protocol
from reproof.scores.pairing import Board, Entry, Pair, Settings, align, all_pairs, pairs_against
from reproof.scores.ranking import (
    Decomposition,
    Totals,
    best,
    competition_ranks,
    decompose,
    pareto,
)
from reproof.scores.stats import Interval, mean_interval, rate_interval

BASELINE = "blind"
REFERENCE = "init"
_NO_RANK = Unknown("the baseline is not ranked")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table. The baseline has no ranks."""

    model: str
    steps: int
    n: int
    mean_return: float
    mean_interval: Interval
    success: int
    success_rate: float
    success_interval: Interval
    partial: int
    errors: int
    rank_by_mean_return: int | Unknown
    rank_by_success: int | Unknown


@dataclass(frozen=True, slots=True)
class Change:
    """From one checkpoint to the next: difference of the means, and its parts in tasks."""

    before: str
    after: str
    difference: float
    tasks: Decomposition


@dataclass(frozen=True, slots=True)
class Pick:
    """What one metric says. `best`: more than one name is a tie.

    `indistinguishable`: the best, and all that the data cannot tell from it.
    `recommended`: the cheapest of these.
    """

    metric: str
    best: tuple[str, ...]
    indistinguishable: tuple[str, ...]
    recommended: str


@dataclass(frozen=True, slots=True)
class Versus:
    """A model against a reference: better, worse, not better, or untestable."""

    model: str
    reference: str
    verdict: str
    pair: Pair


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that is said about the models, as values."""

    protocol: Protocol
    settings: Settings
    n: int
    n_goals: int
    rows: tuple[Row, ...]
    changes: tuple[Change, ...]
    pairs: tuple[Pair, ...]
    picks: tuple[Pick, ...]
    pareto: tuple[str, ...]
    pareto_with_cost: tuple[str, ...]
    versus_init: tuple[Versus, ...]
    versus_blind: tuple[Versus, ...]

    @property
    def picks_agree(self) -> bool:
        """Whether every metric has the same best, ties included."""
        return len({pick.best for pick in self.picks}) == 1

    def to_json(self) -> dict[str, Any]:
        """Plain values; what nobody recorded of the protocol is listed beside it."""
        value: dict[str, Any] = plain(self)
        unknown = list(self.protocol.unknown_fields())
        return value | {"protocol_unknown": unknown, "picks_agree": self.picks_agree}


def compare_models(entries: Sequence[Entry], settings: Settings) -> Comparison:
    """Compare models; the table has them by cost, equally cheap ones in the order given.

    InputError when they are not comparable, or when only the baseline is there.
    """
    entries = sorted(entries, key=lambda entry: entry.steps)
    board = align(entries)
    candidates = [entry for entry in entries if entry.model != BASELINE]
    if not candidates:
        raise InputError("compare", f"only {BASELINE!r} is there", "evaluate a model first")
    names = [entry.model for entry in candidates]
    pairs = all_pairs(board, names, settings)
    first = entries[0].result
    return Comparison(
        protocol=first.protocol,
        settings=settings,
        n=first.n,
        n_goals=first.n_goals,
        rows=_rows(board, entries, candidates, settings),
        changes=tuple(_change(a.result, b.result) for a, b in pairwise(candidates)),
        pairs=pairs,
        picks=_picks(candidates, pairs, settings.alpha),
        pareto=pareto({e.model: _merits(e) for e in candidates}),
        pareto_with_cost=pareto({e.model: (*_merits(e), -e.steps) for e in candidates}),
        versus_init=_versus_init(candidates, pairs, settings.alpha),
        versus_blind=_versus_blind(board, names, settings),
    )


def _rows(
    board: Board, entries: Sequence[Entry], candidates: Sequence[Entry], settings: Settings
) -> tuple[Row, ...]:
    names = [entry.model for entry in candidates]
    by_mean = competition_ranks([entry.result.mean_return for entry in candidates])
    by_success = competition_ranks([entry.result.success for entry in candidates])
    ranks = dict(zip(names, zip(by_mean, by_success, strict=True), strict=True))
    return tuple(
        _row(board, e, ranks.get(e.model, (_NO_RANK, _NO_RANK)), settings) for e in entries
    )


def _row(
    board: Board, entry: Entry, ranks: tuple[int | Unknown, int | Unknown], settings: Settings
) -> Row:
    result, scores, level = entry.result, board.scores[entry.model], 1 - settings.alpha
    return Row(
        model=entry.model,
        steps=entry.steps,
        n=result.n,
        mean_return=result.mean_return,
        mean_interval=mean_interval(scores.returns, level, board.clusters),
        success=result.success,
        success_rate=result.success_rate,
        success_interval=rate_interval(scores.successes, level, board.clusters),
        partial=result.partial,
        errors=result.errors,
        rank_by_mean_return=ranks[0],
        rank_by_success=ranks[1],
    )


def _change(before: EvalResult, after: EvalResult) -> Change:
    difference = after.mean_return - before.mean_return
    return Change(before.model, after.model, difference, decompose(_totals(before), _totals(after)))


def _totals(result: EvalResult) -> Totals:
    return Totals(result.n, result.mean_return, result.success, result.partial)


def _merits(entry: Entry) -> tuple[float, float]:
    return entry.result.mean_return, entry.result.success


def _picks(candidates: Sequence[Entry], pairs: Sequence[Pair], alpha: float) -> tuple[Pick, ...]:
    by_mean = {e.model: e.result.mean_return for e in candidates}
    by_success = {e.model: float(e.result.success) for e in candidates}
    differing = [{p.first, p.second} for p in pairs if p.shows_difference(alpha)]
    differing_success = [{p.first, p.second} for p in pairs if p.shows_success_difference(alpha)]
    return (
        _pick("mean_return", by_mean, differing, candidates),
        _pick("success", by_success, differing_success, candidates),
    )


def _pick(
    metric: str,
    values: dict[str, float],
    differing: Sequence[set[str]],
    candidates: Sequence[Entry],
) -> Pick:
    steps = {entry.model: entry.steps for entry in candidates}
    winners = best(values)
    winner = min(winners, key=lambda name: steps[name])
    alike = tuple(name for name in values if {name, winner} not in differing)
    # the cheapest that the data cannot tell from the best; at equal cost the better one
    cheapest = min(alike, key=lambda name: (steps[name], -values[name]))
    return Pick(metric, winners, alike, cheapest)


def _versus_init(
    candidates: Sequence[Entry], pairs: Sequence[Pair], alpha: float
) -> tuple[Versus, ...]:
    trained = {entry.model for entry in candidates if entry.steps > 0}
    return tuple(
        _versus(pair, alpha) for pair in pairs if pair.first == REFERENCE and pair.second in trained
    )


def _versus_blind(board: Board, names: Sequence[str], settings: Settings) -> tuple[Versus, ...]:
    if BASELINE not in board.scores:
        return ()
    pairs = pairs_against(board, BASELINE, names, settings)
    return tuple(_versus(pair, settings.alpha) for pair in pairs)


def _versus(pair: Pair, alpha: float) -> Versus:
    if pair.shows_difference(alpha):
        verdict = "better" if pair.difference > 0 else "worse"
    elif pair.least_p > alpha:
        verdict = "untestable"
    else:
        verdict = f"not better than {pair.first}"
    return Versus(pair.second, pair.first, verdict, pair)
