"""A small finished run on disk: real parquet, safetensors, dvc.lock and git, made in a moment."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from safetensors.numpy import save_file

from reproof.flow.compare import read_entries
from reproof.ground.files import sha256_file, write_json, write_whole
from reproof.ground.hashes import hash_path
from reproof.scores.comparison import compare_models
from reproof.scores.episode import SUCCESS_AT, EpisodeResult, write_episodes
from reproof.scores.evaluation import Protocol, summarise
from reproof.scores.pairing import Settings

PARAMS = {
    "scale": "tiny",
    "negatives": "4b",
    "seed": 1234,
    "train": {"epochs": 1, "beta": 0.1},
    "evaluate": {"task_seed": 1},
    "compare": {"alpha": 0.05, "sign_flip_seed": 0, "saturation_tau": 1e-5},
}
RETURNS = {
    "init": [1.0, 0.0, 0.25, 0.0, 0.0, 0.5, 1.0, 0.0],
    "epoch-1": [1.0, 1.0, 0.25, 1.0, 0.0, 0.5, 1.0, 0.0],
}
STAGES: dict[str, dict[str, Any]] = {
    "inputs": {
        "frozen": True,
        "deps": ["code/inputs.py"],
        "outs": ["data/raw/pairs-4b.parquet", "data/inputs.json", "models/init"],
    },
    "dedup": {
        "deps": ["code/dedup.py", "data/raw/pairs-4b.parquet", "requirements.lock"],
        "params": ["negatives"],
        "outs": ["data/dedup/pairs.parquet", "data/dedup/report.json"],
    },
    "train-epoch@1": {
        "deps": ["code/train.py", "data/dedup/pairs.parquet", "models/init"],
        "params": ["seed", "train"],
        "outs": ["models/epoch-1", "data/signals/epoch-1.jsonl"],
    },
    "evaluate@init": {"deps": ["code/evaluate.py", "models/init"], "outs": ["data/eval/init"]},
    "evaluate@epoch-1": {
        "deps": ["code/evaluate.py", "models/epoch-1"],
        "outs": ["data/eval/epoch-1"],
    },
    "compare": {
        "deps": ["data/eval/init", "data/eval/epoch-1"],
        "params": ["compare"],
        "outs": ["data/compare/comparison.json"],
    },
    "record": {"deps": ["data/compare/comparison.json"]},
}
_FOREACH = {
    "train-epoch": {"foreach": [1], "do": {"cmd": "python code/train.py ${item}", "outs": ["x"]}},
    "evaluate": {
        "foreach": ["init", "epoch-1"],
        "do": {"cmd": "python code/evaluate.py ${item}", "outs": ["x"]},
    },
}


def write_project(root: Path, returns: dict[str, list[float]] = RETURNS) -> Path:
    """Everything that a finished run leaves, committed to git before the run."""
    write_sources(root)
    commit(root)
    write_outputs(root, returns)
    write_lock(root)
    return root


def write_sources(root: Path) -> None:
    """What a clone has before anything ran."""
    for name in ("inputs", "dedup", "train", "evaluate"):
        write_whole(root / f"code/{name}.py", f"print({name!r})\n")
    write_whole(root / "requirements.lock", "numpy==1.0 \\\n    --hash=sha256:00\n")
    write_whole(root / "params.yaml", yaml.safe_dump(PARAMS))
    write_whole(root / "dvc.yaml", yaml.safe_dump({"stages": _plans()}, sort_keys=False))
    write_whole(root / "data/raw/pairs-4b.parquet", b"raw pairs")
    write_json(root / "data/inputs.json", {"made_by": "make inputs", "seed": 7})
    write_model(root / "models/init", 0.0)
    write_whole(root / ".gitignore", "models/\n")


def write_outputs(root: Path, returns: dict[str, list[float]] = RETURNS) -> None:
    """What the stages make."""
    write_whole(root / "data/dedup/pairs.parquet", b"unique pairs")
    write_json(root / "data/dedup/report.json", {"kept": 276, "dropped": 60})
    write_model(root / "models/epoch-1", 1.0)
    checkpoint = {"epoch": 1, "iter": 1, "steps": 2, "pairs": 8, "horizon_epochs": 1}
    write_json(root / "models/epoch-1/checkpoint.json", checkpoint)
    lines = [json.dumps(signal(step)) for step in (1, 2)]
    write_whole(root / "data/signals/epoch-1.jsonl", "\n".join(lines) + "\n")
    for model, values in returns.items():
        write_result(root, model, values)
    comparison = compare_models(read_entries(root), Settings(0.05, 999, 0))
    write_json(root / "data/compare/comparison.json", comparison.to_json())


def write_result(root: Path, model: str, returns: list[float]) -> None:
    """Episodes and result of one model."""
    episodes = [episode(row, value) for row, value in enumerate(returns)]
    path = root / f"data/eval/{model}/episodes.parquet"
    write_episodes(path, episodes)
    result = summarise(model, protocol(len(returns)), episodes, sha256_file(path))
    write_json(path.with_name("result.json"), result.to_json())


def write_model(folder: Path, value: float) -> None:
    """Two small tensors."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {"a.weight": np.full((2, 3), value, np.float32), "b": np.zeros(0, np.float32)}
    save_file(tensors, folder / "model.safetensors")


def write_lock(root: Path) -> None:
    """dvc.lock as DVC writes it for what is on disk."""
    stages = {name: _locked(root, name, stage) for name, stage in STAGES.items()}
    lock = {"schema": "2.0", "stages": stages}
    write_whole(root / "dvc.lock", yaml.safe_dump(lock, sort_keys=False))


def episode(row: int, value: float) -> EpisodeResult:
    """One task of a goal of its own."""
    return EpisodeResult(f"t{row:03}", 0, value, value >= SUCCESS_AT, group=f"goal {row}")


def protocol(n_tasks: int, /, **changes: Any) -> Protocol:
    """A protocol that knows all of its fields."""
    known: dict[str, Any] = {
        "env_id": "reproof.tiny.phone",
        "env_version": "1",
        "split": "test",
        "task_set_digest": "d",
        "n_tasks": n_tasks,
        "temperature": 0.0,
        "max_steps": "per task",
        "max_new_tokens": 32,
        "group_size": 1,
        "batch_size": 128,
        "rendering_digest": "r",
        "judge": "checks passed",
        "error_policy": "refuse",
    }
    return Protocol(**(known | changes))


def signal(step: int) -> dict[str, Any]:
    """One optimizer step."""
    names = ("margin", "logps_chosen", "logps_rejected", "rewards_chosen", "rewards_rejected")
    zeros = dict.fromkeys((*names, "learning_rate", "grad_norm"), 0.0)
    return zeros | {"step": step, "epoch": 1, "loss": 0.5 / step, "accuracy": 0.5}


def git(root: Path, *arguments: str) -> str:
    """The git executable itself, untouched by anybody's configuration."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    call = ["git", *who, *arguments]
    done = subprocess.run(
        call, cwd=root, env=environ | nobody, capture_output=True, text=True, check=True
    )
    return done.stdout


def commit(root: Path, message: str = "sources") -> None:
    """All that is there, in a repository that is made if need be."""
    if not (root / ".git").exists():
        git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)


def _plans() -> dict[str, Any]:
    plain = {name: stage for name, stage in STAGES.items() if "@" not in name}
    return {name: {"cmd": _command(name), **stage} for name, stage in plain.items()} | _FOREACH


def _locked(root: Path, name: str, stage: dict[str, Any]) -> dict[str, Any]:
    params = {key: PARAMS[key] for key in stage.get("params", ())}
    locked: dict[str, Any] = {"cmd": _command(name)}
    for kind in ("deps", "outs"):
        if stage.get(kind):
            locked[kind] = [_entry(root, path) for path in stage[kind]]
    return locked | ({"params": {"params.yaml": params}} if params else {})


def _entry(root: Path, path: str) -> dict[str, Any]:
    hashes = hash_path(root / path)
    assert hashes is not None, path
    return {"path": path, "hash": "md5", "md5": hashes.md5, "size": hashes.size}


def _command(name: str) -> str:
    stage, _, item = name.partition("@")
    return f"python code/{stage.removesuffix('-epoch')}.py {item}".rstrip()
