"""Judge two runs of the same tasks, one attempt a side, task by task."""

import math

import numpy as np

from reproof.ground.unknown import Unknown
from reproof.scores.episode import SUCCESS_AT
from reproof.scores.stats import Floats, mcnemar, paired_interval, sign_flip
from reproof.verdict import noise
from reproof.verdict.side import Side, TaskReturn
from reproof.verdict.verdict import Flips, Noise, Numbers, Outcome, Tolerance

DRAWS = 9_999
SEED = 0
_EDGE = 1e-9
_SOURCE = "the differences between tasks themselves; what moves a whole run is not in it"

Tasks = tuple[TaskReturn, ...]


def measure(ours: Side, theirs: Side, pairs: tuple[Tasks, Tasks], tolerance: Tolerance) -> Numbers:
    """Every number of the comparison; `pairs` holds both sides' tasks in one order.

    Tasks of one goal are flipped together where goals are given.
    """
    differences = np.array(
        [a.episode_return - b.episode_return for a, b in zip(*pairs, strict=True)]
    )
    clusters = _clusters(pairs[0])
    flip = sign_flip(differences, DRAWS, np.random.default_rng(SEED), clusters)
    interval = paired_interval(differences, noise.LEVEL, clusters)
    error = interval.width / 2 / noise.z((1 + noise.LEVEL) / 2)
    mean = math.fsum(differences) / len(differences) + 0.0
    threshold = max(noise.z(1 - tolerance.alpha / 2) * error, tolerance.mean)
    return Numbers(
        n=ours.n,
        mean_ours=ours.mean_return,
        mean_theirs=theirs.mean_return,
        difference=mean,
        difference_tasks=mean * ours.n,
        success_ours=ours.success,
        success_theirs=theirs.success,
        success_difference=ours.success - theirs.success,
        interval=interval,
        p=flip.p,
        p_method="sign-flip, exact" if flip.draws is None else f"sign-flip, {flip.draws} draws",
        least_p=flip.least_p,
        flips=_flips(pairs),
        critical_mean=None,
        critical_success=None,
        noise=_noise(differences),
        smallest_detectable=noise.smallest_detectable(error, threshold),
        runs_needed=noise.runs_needed(error, tolerance),
    )


def rule(numbers: Numbers, tolerance: Tolerance) -> Outcome:
    """Drifted needs proof and size, reproduced needs proof and closeness."""
    outside = abs(numbers.difference) > tolerance.mean + _EDGE
    if numbers.p <= tolerance.alpha and outside:
        return "drifted"
    if outside or abs(numbers.success_difference) > tolerance.success:
        return "inconclusive"
    low, high = numbers.interval
    return "reproduced" if -tolerance.mean < low and high < tolerance.mean else "consistent"


def align(ours: Tasks, theirs: Tasks) -> tuple[Tasks, Tasks]:
    """Both sides in the order of their keys, which must be the same."""
    return tuple(sorted(ours, key=_key)), tuple(sorted(theirs, key=_key))


def _key(task: TaskReturn) -> tuple[str, int]:
    return task.key


def _clusters(tasks: Tasks) -> list[str] | None:
    """The goals, or else the tasks; None where each row is a unit of its own."""
    units = [task.group or task.task_id for task in tasks]
    return units if len(set(units)) < len(units) else None


def _flips(pairs: tuple[Tasks, Tasks]) -> Flips:
    both = list(zip(*pairs, strict=True))
    solved = [(a, a.episode_return >= SUCCESS_AT, b.episode_return >= SUCCESS_AT) for a, b in both]
    lost = tuple(_name(task) for task, ours, theirs in solved if theirs and not ours)
    gained = tuple(_name(task) for task, ours, theirs in solved if ours and not theirs)
    return Flips(lost, gained, mcnemar(len(lost), len(gained)).exact)


def _name(task: TaskReturn) -> str:
    return f"{task.task_id}#{task.sample}" if task.sample else task.task_id


def _noise(differences: Floats) -> Noise:
    """If nothing drifted, each difference is two draws of the same task's noise."""
    squares = math.fsum(differences**2)
    if squares == 0:
        return Noise(
            Unknown("no task differs, which does not mean that none ever will"), None, _SOURCE
        )
    sigma = math.sqrt(squares / 2) / len(differences)
    return Noise(sigma, 2 * squares**2 / math.fsum(differences**4), _SOURCE)
