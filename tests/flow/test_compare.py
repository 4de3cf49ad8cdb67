"""The stage `compare` on a whole made-up run."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from reproof.flow.compare import compare
from reproof.ground.errors import InputError
from reproof.ground.files import read_json, write_json
from reproof.ground.params import CompareParams
from tests.scores.makers import write_run

PARAMS = CompareParams(alpha=0.05, sign_flips=999, sign_flip_seed=0, saturation_tau=1e-5)
MODELS = ["base", "blind", "init", "epoch-1", "epoch-2", "epoch-3"]


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was compared once."""
    root = tmp_path_factory.mktemp("run")
    write_run(root)
    compare(root, PARAMS)
    return root


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of its own, to be spoilt."""
    write_run(tmp_path)
    return tmp_path


def files(root: Path) -> dict[str, bytes]:
    """What the stage wrote."""
    folder = root / "data" / "compare"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_it_writes_every_file_and_leaves_no_scratch(compared: Path) -> None:
    assert list(files(compared)) == [
        "comparison.json",
        "comparison.md",
        "metrics.json",
        "models.json",
        "return_by_epoch.png",
        "training_signals.json",
        "training_signals.png",
    ]
    assert sorted(path.name for path in (compared / "data").iterdir()) == [
        "compare",
        "eval",
        "signals",
    ]


def test_the_same_inputs_give_the_same_bytes_elsewhere(compared: Path, tmp_path: Path) -> None:
    write_run(tmp_path)
    compare(tmp_path, PARAMS)

    assert files(tmp_path) == files(compared)
    assert all(str(compared).encode() not in content for content in files(compared).values())


def test_the_table_has_the_models_in_order_with_their_cost(compared: Path) -> None:
    rows = read_json(compared / "data/compare/comparison.json")["rows"]

    assert [row["model"] for row in rows] == MODELS
    assert [row["steps"] for row in rows] == [0, 0, 0, 12, 24, 36]


def test_the_metrics_are_few_and_flat(compared: Path) -> None:
    metrics = read_json(compared / "data/compare/metrics.json")

    assert {"mean_return", "success", "partial"} <= metrics["init"].keys()
    assert {"p_vs_init", "vs_init", "median_loss"} <= metrics["epoch-1"].keys()
    assert metrics["best_by_mean_return"] in MODELS
    leaves = [
        v
        for value in metrics.values()
        for v in (value.values() if isinstance(value, dict) else [value])
    ]
    assert all(isinstance(leaf, int | float | str) for leaf in leaves)


def test_the_rows_for_plots_are_flat_and_complete(compared: Path) -> None:
    steps = read_json(compared / "data/compare/training_signals.json")
    models = read_json(compared / "data/compare/models.json")

    assert [row["step"] for row in steps] == list(range(1, 37))
    assert [row["model"] for row in models] == MODELS
    assert not any(isinstance(v, list | dict) for row in steps + models for v in row.values())


def test_signals_of_every_epoch_are_in_the_report(compared: Path) -> None:
    value = read_json(compared / "data/compare/comparison.json")

    assert [epoch["epoch"] for epoch in value["signals"]] == [1, 2, 3]
    assert "## Training signals" in (compared / "data/compare/comparison.md").read_text()


def test_without_training_there_are_no_signals_and_no_picture_of_them(run: Path) -> None:
    for epoch in (1, 2, 3):
        shutil.rmtree(run / "data" / "eval" / f"epoch-{epoch}")

    compare(run, PARAMS)

    assert "training_signals.png" not in files(run)
    assert "Training signals" not in (run / "data/compare/comparison.md").read_text()


def _cut_episodes(root: Path) -> None:
    path = root / "data/eval/init/episodes.parquet"
    path.write_bytes(path.read_bytes()[:-9])


def _other_episodes(root: Path) -> None:
    shutil.copy(root / "data/eval/base/episodes.parquet", root / "data/eval/init")


def _other_folder(root: Path) -> None:
    (root / "data/eval/init").rename(root / "data/eval/epoch-4")


def _strange_name(root: Path) -> None:
    (root / "data/eval/init").rename(root / "data/eval/final")


def _lost_signals(root: Path) -> None:
    (root / "data/signals/epoch-2.jsonl").unlink()


def _skipped_epoch(root: Path) -> None:
    """Epoch 1 twice: the steps of the second file are those of the first."""
    lines = (root / "data/signals/epoch-1.jsonl").read_text().splitlines()
    again = [json.dumps(json.loads(line) | {"epoch": 2}) for line in lines]
    (root / "data/signals/epoch-2.jsonl").write_text("\n".join(again))


def _short_signals(root: Path) -> None:
    path = root / "data/signals/epoch-3.jsonl"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]))


def _wrong_iter(root: Path) -> None:
    write_json(root / "models/epoch-1/checkpoint.json", {"epoch": 1, "iter": 12, "steps": 12})


def _no_checkpoint(root: Path) -> None:
    (root / "models/epoch-1/checkpoint.json").unlink()


def _list_for_checkpoint(root: Path) -> None:
    write_json(root / "models/epoch-1/checkpoint.json", [])


def _no_models(root: Path) -> None:
    shutil.rmtree(root / "data/eval")


def _percent(root: Path) -> None:
    path = root / "data/eval/init/result.json"
    raw = read_json(path)
    raw["metrics"]["mean_return"] *= 100
    write_json(path, raw)


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (_cut_episodes, "init/episodes.parquet: is not a whole parquet file"),
        (_other_episodes, "is not the file that result.json was made from"),
        (_other_folder, "is the result of 'init', in the folder of 'epoch-4'"),
        (_strange_name, "eval/final: is neither base, blind, init nor epoch-N"),
        (_lost_signals, "signals/epoch-2.jsonl: does not exist"),
        (_skipped_epoch, "epoch-2.jsonl: begins with step 1, must be 13"),
        (_short_signals, "epoch-3.jsonl: ends with step 35, the checkpoint is of step 36"),
        (_wrong_iter, "iter is 12, after 12 steps must be one less"),
        (_no_checkpoint, "epoch-1/checkpoint.json: does not exist"),
        (_list_for_checkpoint, "epoch-1/checkpoint.json: is not an object"),
        (_no_models, "data/eval: holds no models"),
        (_percent, "init/result.json: mean_return .* is outside what the counts allow"),
    ],
)
def test_a_spoilt_run_is_refused_by_file_and_writes_nothing(
    run: Path, spoil: Callable[[Path], None], rule: str
) -> None:
    spoil(run)

    with pytest.raises(InputError, match=rule):
        compare(run, PARAMS)

    assert not (run / "data" / "compare").exists()


def test_a_failed_run_leaves_the_old_comparison_as_it_was(run: Path) -> None:
    compare(run, PARAMS)
    before = files(run)
    _lost_signals(run)

    with pytest.raises(InputError):
        compare(run, PARAMS)

    assert files(run) == before
