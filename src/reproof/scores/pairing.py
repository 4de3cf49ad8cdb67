"""Put models side by side task by task, and test every pair of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from reproof.ground.errors import InputError
from reproof.scores.episode import EpisodeResult
from reproof.scores.evaluation import EvalResult, scored_returns, summarise
from reproof.scores.stats import Floats, Interval, holm, mcnemar, paired_interval, sign_flip

_SAME_TASKS = "evaluate both on the same tasks"


@dataclass(frozen=True, slots=True)
class Entry:
    """One model that takes part. `steps`: optimizer steps of DPO that it cost."""

    result: EvalResult
    episodes: tuple[EpisodeResult, ...]
    steps: int

    @property
    def model(self) -> str:
        """Its name."""
        return self.result.model


@dataclass(frozen=True, slots=True)
class Settings:
    """`alpha` of every test (intervals have level 1 - alpha); draws and seed of the sign flips."""

    alpha: float
    sign_flips: int
    sign_flip_seed: int


@dataclass(frozen=True, slots=True)
class Scores:
    """One model's returns and successes, in the order of tasks that all models share."""

    returns: Floats
    successes: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The scores by model. `clusters` names each task's goal; None when no two share one."""

    scores: dict[str, Scores]
    clusters: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two models on the same tasks; every difference is `second` minus `first`.

    `p` is the sign-flip test on returns. `lost` and `gained` count the
    episodes that only `first`, only `second` solved; `mcnemar` takes them for
    independent. `success_p` does not: it flips whole goals together, and is
    the exact McNemar test where each goal is one episode. `*_holm` are
    corrected for all pairs of the same family.
    """

    first: str
    second: str
    difference: float
    interval: Interval
    p: float
    p_holm: float
    least_p: float
    lost: int
    gained: int
    mcnemar: float
    mcnemar_mid: float
    success_p: float
    success_p_holm: float

    def shows_difference(self, alpha: float) -> bool:
        """Whether the returns differ by more than chance would explain."""
        return self.p_holm <= alpha

    def shows_success_difference(self, alpha: float) -> bool:
        """The same of the successes."""
        return self.success_p_holm <= alpha


def align(entries: Sequence[Entry]) -> Board:
    """Bring all models into one order of tasks.

    InputError names the first thing that makes them incomparable: a field of
    the protocol, a task that only one has, a result its episodes do not give.
    """
    if not entries:
        raise InputError("compare", "there is nothing to compare", "evaluate a model first")
    first = entries[0]
    keys = sorted(_scored(first))
    for entry in entries:
        _check_protocol(first, entry)
        _check_summary(entry)
        _check_tasks(first, entry)
    groups = {e.task_id: e.group or e.task_id for e in first.episodes}
    clusters = tuple(groups[task] for task, _ in keys)
    scores = {entry.model: _scores(entry, keys) for entry in entries}
    if len(scores) < len(entries):
        raise InputError("compare", "two models have one name", "give each its own")
    return Board(scores, clusters if len(set(clusters)) < len(clusters) else None)


def all_pairs(board: Board, models: Sequence[str], settings: Settings) -> tuple[Pair, ...]:
    """Every pair once, the earlier model first; one Holm family a metric."""
    return _with_holm([_test(board, a, b, settings) for a, b in combinations(models, 2)])


def pairs_against(
    board: Board, reference: str, models: Sequence[str], settings: Settings
) -> tuple[Pair, ...]:
    """Every model against one reference, which is `first`; a Holm family of their own."""
    return _with_holm([_test(board, reference, model, settings) for model in models])


def _test(board: Board, first: str, second: str, settings: Settings) -> dict[str, Any]:
    ours, theirs = board.scores[first], board.scores[second]
    differences = theirs.returns - ours.returns
    changes = np.subtract(theirs.successes, ours.successes, dtype=np.float64)
    # a fresh generator each: a pair's p must not depend on what else is compared
    flip = sign_flip(differences, settings.sign_flips, _rng(settings), board.clusters)
    lost, gained = int((changes < 0).sum()), int((changes > 0).sum())
    exact, mid = mcnemar(lost, gained)
    success_p = exact
    if board.clusters is not None:
        success_p = sign_flip(changes, settings.sign_flips, _rng(settings), board.clusters).p
    return {
        "first": first,
        "second": second,
        "difference": float(differences.mean()) + 0.0,  # no -0.0
        "interval": paired_interval(differences, 1 - settings.alpha, board.clusters),
        "p": flip.p,
        "least_p": flip.least_p,
        "lost": lost,
        "gained": gained,
        "mcnemar": exact,
        "mcnemar_mid": mid,
        "success_p": success_p,
    }


def _with_holm(tests: Sequence[dict[str, Any]]) -> tuple[Pair, ...]:
    returns = holm([test["p"] for test in tests])
    successes = holm([test["success_p"] for test in tests])
    return tuple(
        Pair(**test, p_holm=p, success_p_holm=success_p)
        for test, p, success_p in zip(tests, returns, successes, strict=True)
    )


def _rng(settings: Settings) -> np.random.Generator:
    return np.random.default_rng(settings.sign_flip_seed)


def _scored(entry: Entry) -> dict[tuple[str, int], float]:
    return scored_returns(entry.model, entry.result.protocol, entry.episodes)


def _scores(entry: Entry, keys: Sequence[tuple[str, int]]) -> Scores:
    returns = _scored(entry)
    solved = {(e.task_id, e.sample) for e in entry.episodes if e.success}
    return Scores(np.array([returns[key] for key in keys]), tuple(key in solved for key in keys))


def _check_protocol(first: Entry, other: Entry) -> None:
    for field, ours, theirs in other.result.protocol.differences(first.result.protocol):
        rule = f"{field} is {ours!r}, for {first.model} it is {theirs!r}"
        raise InputError(f"result of {other.model}", rule, "evaluate both under one protocol")


def _check_summary(entry: Entry) -> None:
    """Numbers and episodes that do not belong together would pass for each other's proof."""
    result = entry.result
    again = summarise(result.model, result.protocol, entry.episodes, result.episodes_sha256)
    for name in ("n", "n_goals", "success", "partial", "errors", "mean_return"):
        said, found = getattr(result, name), getattr(again, name)
        if abs(said - found) > 1e-9:
            rule = f"{name} is {said}, its episodes give {found}"
            raise InputError(f"result of {entry.model}", rule, "run the evaluation again")


def _check_tasks(first: Entry, other: Entry) -> None:
    ours, theirs = _scored(first).keys(), _scored(other).keys()
    for extra, owner, lacking in ((ours - theirs, first, other), (theirs - ours, other, first)):
        if extra:
            task, sample = min(extra)
            rule = f"has no score for sample {sample} of task {task!r}, which {owner.model} has"
            count = f" ({len(extra)} such)" if len(extra) > 1 else ""
            raise InputError(f"episodes of {lacking.model}", rule + count, _SAME_TASKS)
    _check_groups(first, other)


def _check_groups(first: Entry, other: Entry) -> None:
    groups = {episode.task_id: episode.group for episode in first.episodes}
    for episode in other.episodes:
        ours = groups.get(episode.task_id, episode.group)
        if ours != episode.group:
            place = f"episodes of {other.model}, task {episode.task_id!r}"
            rule = f"group is {episode.group!r}, for {first.model} it is {ours!r}"
            raise InputError(place, rule, _SAME_TASKS)
