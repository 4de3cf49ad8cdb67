"""Compare the evaluated models: table, tests, training signals, pictures, numbers for DVC."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reproof.ground.errors import InputError
from reproof.ground.files import read_json, sha256_file, whole_folder, write_json, write_whole
from reproof.ground.params import CompareParams
from reproof.render.comparison import comparison_markdown
from reproof.render.pictures import picture_of_returns, picture_of_signals
from reproof.scores import strict
from reproof.scores.comparison import Comparison, compare_models
from reproof.scores.episode import read_episodes
from reproof.scores.evaluation import read_result
from reproof.scores.pairing import Entry, Settings
from reproof.scores.signals import EpochSignals, StepSignals, read_signals, summarise_epochs

_UNTRAINED = ("base", "blind", "init")
_EPOCH = re.compile(r"epoch-([1-9]\d*)")

Signals = tuple[tuple[StepSignals, ...], ...]


def compare(root: Path, params: CompareParams) -> Comparison:
    """Read data/eval, data/signals and the checkpoints; write data/compare whole."""
    entries = read_entries(root)
    signals = _read_all_signals(root, entries)
    settings = Settings(params.alpha, params.sign_flips, params.sign_flip_seed)
    comparison = compare_models(entries, settings)
    summaries = summarise_epochs(signals, params.saturation_tau)
    with whole_folder(root / "data" / "compare") as folder:
        write_json(folder / "comparison.json", _whole(comparison, summaries))
        write_whole(folder / "comparison.md", comparison_markdown(comparison, summaries))
        write_json(folder / "metrics.json", metrics(comparison, summaries))
        write_json(folder / "models.json", _plot_of_models(comparison))
        write_whole(folder / "return_by_epoch.png", picture_of_returns(comparison))
        if signals:
            picture = picture_of_signals(signals, params.saturation_tau)
            write_whole(folder / "training_signals.png", picture)
            write_json(folder / "training_signals.json", _plot_of_steps(signals))
    return comparison


def read_entries(root: Path) -> tuple[Entry, ...]:
    """Every model under data/eval: base, blind, init, then the epochs in order."""
    folders = [path for path in (root / "data" / "eval").glob("*") if path.is_dir()]
    if not folders:
        raise InputError(str(root / "data" / "eval"), "holds no models", "evaluate one first")
    return tuple(_read_entry(root, path) for path in sorted(folders, key=_place))


def metrics(comparison: Comparison, signals: Sequence[EpochSignals]) -> dict[str, Any]:
    """The few numbers for `dvc metrics show` and `dvc exp show`."""
    numbers: dict[str, Any] = {
        row.model: {
            "mean_return": row.mean_return,
            "success": row.success,
            "partial": row.partial,
        }
        for row in comparison.rows
    }
    for versus in comparison.versus_init:
        numbers[versus.model] |= {"p_vs_init": versus.pair.p_holm, "vs_init": versus.verdict}
    for epoch in signals:
        mine = numbers.setdefault(f"epoch-{epoch.epoch}", {})
        mine |= {"median_loss": epoch.median_loss, "saturated_steps": epoch.saturated_steps.k}
    for pick in comparison.picks:
        numbers[f"best_by_{pick.metric}"] = " = ".join(pick.best)
        numbers[f"recommended_by_{pick.metric}"] = pick.recommended
    return numbers


def _read_entry(root: Path, folder: Path) -> Entry:
    result = read_result(folder / "result.json")
    episodes_path = folder / "episodes.parquet"
    if result.model != folder.name:
        rule = f"is the result of {result.model!r}, in the folder of {folder.name!r}"
        strict.refuse(str(folder / "result.json"), rule)
    episodes = read_episodes(episodes_path)
    if sha256_file(episodes_path) != result.episodes_sha256:
        strict.refuse(str(episodes_path), "is not the file that result.json was made from")
    return Entry(result, episodes, _steps(root, folder.name))


def _place(folder: Path) -> tuple[int, str]:
    """Order of the table; a name that says nothing about the cost is refused."""
    if folder.name in _UNTRAINED:
        return 0, folder.name
    if match := _EPOCH.fullmatch(folder.name):
        return int(match.group(1)), folder.name
    rule = f"is neither {', '.join(_UNTRAINED)} nor epoch-N"
    raise InputError(str(folder), rule, "rename or remove the folder")


def _steps(root: Path, model: str) -> int:
    """Optimizer steps of DPO behind a model, from its checkpoint."""
    if model in _UNTRAINED:
        return 0
    path = root / "models" / model / "checkpoint.json"
    raw = read_json(path)
    if not isinstance(raw, Mapping):
        strict.refuse(str(path), "is not an object")
    steps = strict.count(f"{path}, steps", raw.get("steps"))
    if raw.get("iter") != steps - 1:
        strict.refuse(
            str(path), f"iter is {raw.get('iter')!r}, after {steps} steps must be one less"
        )
    return steps


def _read_all_signals(root: Path, entries: Sequence[Entry]) -> Signals:
    """One file an epoch from 1 to the last that was evaluated, step after step."""
    steps = {int(m.group(1)): e.steps for e in entries if (m := _EPOCH.fullmatch(e.model))}
    epochs: list[tuple[StepSignals, ...]] = []
    done = 0
    for epoch in range(1, max(steps, default=0) + 1):
        path = root / "data" / "signals" / f"epoch-{epoch}.jsonl"
        signals = read_signals(path, epoch)
        if signals[0].step != done + 1:
            strict.refuse(str(path), f"begins with step {signals[0].step}, must be {done + 1}")
        done = signals[-1].step
        if steps.get(epoch, done) != done:
            rule = f"ends with step {done}, the checkpoint is of step {steps[epoch]}"
            strict.refuse(str(path), rule)
        epochs.append(signals)
    return tuple(epochs)


def _whole(comparison: Comparison, signals: Sequence[EpochSignals]) -> dict[str, Any]:
    return comparison.to_json() | {"signals": [epoch.to_json() for epoch in signals]}


def _plot_of_models(comparison: Comparison) -> list[dict[str, Any]]:
    """A row a model, for `dvc plots`."""
    return [
        {
            "model": row.model,
            "steps": row.steps,
            "mean_return": row.mean_return,
            "mean_return_low": row.mean_interval.low,
            "mean_return_high": row.mean_interval.high,
            "success_rate": row.success_rate,
            "success_rate_low": row.success_interval.low,
            "success_rate_high": row.success_interval.high,
        }
        for row in comparison.rows
    ]


def _plot_of_steps(epochs: Signals) -> list[dict[str, Any]]:
    """A row an optimizer step, for `dvc plots`."""
    names = ("step", "epoch", "loss", "margin", "accuracy", "learning_rate", "grad_norm")
    chosen = (*names, "logps_chosen", "logps_rejected")
    return [{name: getattr(step, name) for name in chosen} for epoch in epochs for step in epoch]
