"""Made-up evaluations and training signals, whole on disk or as values, drawn from a seed."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reproof.ground.files import sha256_file, write_json
from reproof.scores.episode import SUCCESS_AT, EpisodeResult, write_episodes
from reproof.scores.evaluation import Protocol, summarise
from reproof.scores.pairing import Entry, Settings

SETTINGS = Settings(alpha=0.05, sign_flips=999, sign_flip_seed=0)
STEPS_PER_EPOCH = 12


def protocol(n_tasks: int, /, **changes: object) -> Protocol:
    """A protocol of the small phone."""
    fields: dict[str, object] = {
        "env_id": "tiny-phone",
        "env_version": "1",
        "split": "test",
        "task_set_digest": "d" * 64,
        "n_tasks": n_tasks,
        "temperature": 0.0,
        "max_steps": "per task",
        "max_new_tokens": 32,
        "group_size": 1,
        "batch_size": 128,
        "rendering_digest": "e" * 64,
        "judge": "1 for a success, else half the passed checks",
        "error_policy": "refuse",
    }
    return Protocol(**(fields | changes))  # type: ignore[arg-type]  # any field may change


def episodes(
    returns: Sequence[float], goals: Sequence[str | None] | None = None
) -> tuple[EpisodeResult, ...]:
    """One episode a return, tasks named in order."""
    return tuple(
        EpisodeResult(f"task-{i:04}", 0, value, value >= SUCCESS_AT, group=goal)
        for i, (value, goal) in enumerate(zip(returns, goals or [None] * len(returns), strict=True))
    )


def entry(
    model: str,
    returns: Sequence[float],
    steps: int = 0,
    goals: Sequence[str | None] | None = None,
    **changes: object,
) -> Entry:
    """A model with these returns."""
    rows = episodes(returns, goals)
    result = summarise(model, protocol(len(returns), **changes), rows, "f" * 64)
    return Entry(result, rows, steps)


def returns_with(n: int, success: int, partial: int, credit: float = 0.4) -> list[float]:
    """`success` ones, then `partial` credits, then zeros."""
    return [1.0] * success + [credit] * partial + [0.0] * (n - success - partial)


def signal_line(step: int, epoch: int, losses: Sequence[float]) -> dict[str, object]:
    """One optimizer step as its line says it."""
    loss = math.fsum(losses) / len(losses)
    return {
        "step": step,
        "epoch": epoch,
        "loss": loss,
        "margin": 1.0,
        "accuracy": 1.0,
        "logps_chosen": -20.0 - step / 10,
        "logps_rejected": -40.0,
        "rewards_chosen": 0.1,
        "rewards_rejected": -0.9,
        "learning_rate": 2e-5,
        "grad_norm": 0.5,
        "pair_losses": list(losses),
    }


def write_run(root: Path, n: int = 40, seed: int = 0) -> None:
    """data/eval, data/signals and checkpoints of a whole small run."""
    rng = np.random.default_rng(seed)
    goals = [f"goal {i // 4}" for i in range(n)]
    ability = np.repeat(rng.normal(size=-(-n // 4)), 4)[:n]
    strengths = {"base": -1.6, "blind": -1.2, "init": -0.6, "epoch-1": 0.0}
    for model, strength in (strengths | {"epoch-2": 0.1, "epoch-3": 0.05}).items():
        skill = strength + ability + 0.5 * rng.normal(size=n)
        levels = np.select([skill > 0.3, skill > 0, skill > -0.5], [1.0, 0.375, 0.25], 0.0)
        _write_result(root, model, levels.tolist(), goals)
    for epoch in (1, 2, 3):
        _write_epoch(root, epoch, rng)


def _write_result(root: Path, model: str, returns: list[float], goals: list[str]) -> None:
    folder = root / "data" / "eval" / model
    rows = episodes(returns, goals)
    write_episodes(folder / "episodes.parquet", rows)
    digest = sha256_file(folder / "episodes.parquet")
    result = summarise(model, protocol(len(returns)), rows, digest)
    write_json(folder / "result.json", result.to_json())


def _write_epoch(root: Path, epoch: int, rng: np.random.Generator) -> None:
    steps = range((epoch - 1) * STEPS_PER_EPOCH + 1, epoch * STEPS_PER_EPOCH + 1)
    lines = []
    for step in steps:
        exponent = 0.3 + 5.5 * step / (3 * STEPS_PER_EPOCH)
        losses = 10 ** -(exponent + 0.8 * rng.normal(size=4))
        lines.append(json.dumps(signal_line(step, epoch, losses.tolist())) + "\n")
    path = root / "data" / "signals" / f"epoch-{epoch}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines))
    facts = {"epoch": epoch, "iter": steps[-1] - 1, "steps": steps[-1]}
    write_json(root / "models" / f"epoch-{epoch}" / "checkpoint.json", facts)
