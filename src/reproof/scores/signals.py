"""What the optimizer steps say about a run: losses, saturation, an early warning.

L = -log sigmoid(z) is the DPO loss of a pair and w = sigmoid(-z) = 1 - exp(-L)
the weight of its gradient, 0.5 at the start. A step is saturated when its
batch-mean loss is below tau. As the share depends on tau, the curve is given too.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any, NamedTuple

from reproof.ground.files import read_text
from reproof.ground.unknown import Unknown, plain
from reproof.scores import strict

TAUS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
START_WEIGHT = 0.5
WARN_LOSS = 1e-4
WARN_SHARE = 0.25
_NOT_KEPT = Unknown("no losses of single pairs were kept")
LIMITS = (
    "The thresholds were chosen on two published arms; low loss alone may be harmless. "
    "Held-out pairs are not looked at. Steps are autocorrelated, and beta, learning rate and "
    "length change every number. "
    "A flag, not a verdict."
)


@dataclass(frozen=True, slots=True)
class StepSignals:
    """One optimizer step. Losses are in nats; `pair_losses` is None when none were kept."""

    step: int
    epoch: int
    loss: float
    margin: float
    accuracy: float
    logps_chosen: float
    logps_rejected: float
    rewards_chosen: float
    rewards_rejected: float
    learning_rate: float
    grad_norm: float
    pair_losses: tuple[float, ...] | None


class Share(NamedTuple):
    """k of n; a percentage alone would hide what was counted."""

    k: int
    n: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """How many steps, and how many pairs, have a loss below tau."""

    tau: float
    steps: Share
    pairs: Share | Unknown


@dataclass(frozen=True, slots=True)
class EpochSignals:
    """One epoch in a few numbers.

    `gradient_mass` is the mean gradient weight over its value at the start:
    1 is all of it, 0 none. Over pairs where they were kept, else from batch-mean
    losses, which makes it a little too large.
    `warning`: none, warn or stop-suggested; Unknown without pair losses.
    """

    epoch: int
    n_steps: int
    median_loss: float
    tau: float
    saturated_steps: Share
    saturated_pairs: Share | Unknown
    curve: tuple[CurvePoint, ...]
    gradient_mass: float
    window: int
    window_median_loss: float
    window_saturated_pairs: Share | Unknown
    warning: str | Unknown

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        value: dict[str, Any] = plain(self)
        return value


def read_signals(path: Path, epoch: int) -> tuple[StepSignals, ...]:
    """The steps of one epoch; InputError names the line that breaks a rule."""
    steps: list[StepSignals] = []
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        where = f"{path}, line {row}"
        step = _parse(where, line)
        if step.epoch != epoch:
            strict.refuse(where, f"epoch is {step.epoch}, the file is of epoch {epoch}")
        if steps and step.step != steps[-1].step + 1:
            strict.refuse(where, f"step {step.step} follows step {steps[-1].step}")
        steps.append(step)
    if not steps:
        strict.refuse(str(path), "holds no steps")
    return tuple(steps)


def summarise_epochs(epochs: Sequence[Sequence[StepSignals]], tau: float) -> list[EpochSignals]:
    """One summary an epoch; the first one is what chosen log-probs are held against."""
    return [_summarise(steps, epochs[0], tau) for steps in epochs]


def _summarise(
    steps: Sequence[StepSignals], first: Sequence[StepSignals], tau: float
) -> EpochSignals:
    losses, pairs = [step.loss for step in steps], _pair_losses(steps)
    last = steps[-max(1, len(steps) // 3) :]
    window_pairs = _pair_losses(last)
    window_median = median(step.loss for step in last)
    window_share = _share(window_pairs, tau)
    return EpochSignals(
        epoch=steps[0].epoch,
        n_steps=len(steps),
        median_loss=median(losses),
        tau=tau,
        saturated_steps=_below(losses, tau),
        saturated_pairs=_share(pairs, tau),
        curve=tuple(CurvePoint(t, _below(losses, t), _share(pairs, t)) for t in TAUS),
        gradient_mass=fmean(-math.expm1(-loss) for loss in pairs or losses) / START_WEIGHT,
        window=len(last),
        window_median_loss=window_median,
        window_saturated_pairs=window_share,
        warning=_warning(window_median, window_share, last, first),
    )


def _warning(
    loss: float,
    share: Share | Unknown,
    last: Sequence[StepSignals],
    first: Sequence[StepSignals],
) -> str | Unknown:
    if isinstance(share, Unknown):
        return share
    if loss > WARN_LOSS or share.k < WARN_SHARE * share.n:
        return "none"
    return "stop-suggested" if _has_fallen(last, first) else "warn"


def _has_fallen(last: Sequence[StepSignals], first: Sequence[StepSignals]) -> bool:
    """Chosen log-probs below their mean over epoch 1 by more than two standard errors."""
    ours, theirs = [s.logps_chosen for s in last], [s.logps_chosen for s in first]
    if min(len(ours), len(theirs)) < 2:
        return False
    error = math.hypot(*(stdev(side) / math.sqrt(len(side)) for side in (ours, theirs)))
    return fmean(ours) < fmean(theirs) - 2 * error


def _pair_losses(steps: Sequence[StepSignals]) -> list[float] | None:
    """All of them, or None when a step kept none: a share of some steps would mislead."""
    kept = [step.pair_losses for step in steps if step.pair_losses is not None]
    return [loss for losses in kept for loss in losses] if len(kept) == len(steps) else None


def _share(losses: Sequence[float] | None, tau: float) -> Share | Unknown:
    return _NOT_KEPT if losses is None else _below(losses, tau)


def _below(losses: Sequence[float], tau: float) -> Share:
    return Share(sum(loss < tau for loss in losses), len(losses))


def _parse(where: str, line: str) -> StepSignals:
    try:
        raw = json.loads(line)
    except ValueError:
        strict.refuse(where, "is not JSON")
    names = [field.name for field in fields(StepSignals)]
    raw = strict.mapping(
        where, {"pair_losses": None} | raw if isinstance(raw, dict) else raw, names
    )
    counts = {name: strict.count(f"{where}, {name}", raw[name]) for name in ("step", "epoch")}
    numbers = {
        name: strict.number(f"{where}, {name}", raw[name])
        for name in names
        if name not in counts and name != "pair_losses"
    }
    pairs = None if raw["pair_losses"] is None else tuple(_pairs(where, raw["pair_losses"]))
    values: dict[str, Any] = {**counts, **numbers, "pair_losses": pairs}
    step = StepSignals(**values)
    _check_step(where, step)
    return step


def _pairs(where: str, value: Any) -> Iterator[float]:
    if not isinstance(value, list) or not value:
        strict.refuse(f"{where}, pair_losses", "must be a list of numbers that is not empty")
    for loss in value:
        yield strict.number(f"{where}, pair_losses", loss)


def _check_step(where: str, step: StepSignals) -> None:
    if min(step.loss, *(step.pair_losses or (0,))) < 0:
        strict.refuse(where, "a DPO loss is below 0")
    if not 0 <= step.accuracy <= 1:
        strict.refuse(where, f"accuracy is {step.accuracy}, must lie in [0, 1]")
    # catches a trainer that rounds the losses it logs: all small ones would look saturated
    if step.pair_losses and not math.isclose(
        step.loss, fmean(step.pair_losses), rel_tol=0.01, abs_tol=1e-8
    ):
        rule = f"loss is {step.loss}, the mean of pair_losses is {fmean(step.pair_losses)}"
        strict.refuse(where, rule)
