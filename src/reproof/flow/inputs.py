"""Make the shipped inputs of scale tiny: three models and two files of raw pairs.

It takes long, resumes where it was interrupted, and says whether the result is
the one that was shipped. Everything is made under .inputs/ first.
"""

import functools
import itertools
import math
import random
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tqdm import tqdm

from reproof.engine.rollout import Trajectory, rollout
from reproof.engine.sft import Example, SftSettings, train_until
from reproof.engine.vlm import Sampling, VlmPolicy, load_model, load_processor
from reproof.flow.pairing import raw_pairs
from reproof.ground import pins
from reproof.ground.files import read_json, read_text, sha256_file, write_json
from reproof.pairs.pair import write_pairs
from reproof.record.weights import read_weights
from reproof.scores.episode import SUCCESS_AT
from reproof.tiny.demonstrations import demonstration
from reproof.tiny.model import build_model, build_processor, corpus, train_tokenizer
from reproof.tiny.phone import WORLD_VERSION
from reproof.tiny.prompt import rendering_digest, step_messages
from reproof.tiny.recipe import RECIPE, PairRecipe, Training
from reproof.tiny.tasks import Task, make_tasks
from reproof.tiny.world import PhoneWorld

WORK = Path(".inputs")
RECORD = Path("data/inputs.json")
MODELS = ("base", "init", "2b")
NEGATIVES = {"4b": "init", "2b": "2b"}
_MAX_NEW_TOKENS = 32


def inputs(root: Path) -> None:
    """Write models/{base,init,2b}, data/raw/pairs-{4b,2b}.parquet and data/inputs.json."""
    work = root / WORK
    _make_models(work)
    _make_pairs(work)
    made = _describe(work)
    shipped = read_json(root / RECORD) if (root / RECORD).is_file() else None
    for line in _differences(shipped, made):
        print(line, file=sys.stderr)
    for name in MODELS:
        shutil.copytree(work / name, root / "models" / name, dirs_exist_ok=True)
    (root / "data/raw").mkdir(parents=True, exist_ok=True)
    for name in NEGATIVES:
        shutil.copy(work / _pairs_name(name), root / "data/raw" / _pairs_name(name))
    write_json(root / RECORD, made)


def _make_models(work: Path) -> None:
    large, small = RECIPE.large, RECIPE.small
    _train(work, "large", large, {RECIPE.base_steps: "base", large.steps: "init"})
    _train(work, "small", small, {small.steps: "2b"})


def _train(work: Path, name: str, training: Training, kept: Mapping[int, str]) -> None:
    """Train one model from nothing, and keep it after some numbers of steps."""
    if all((work / folder / "config.json").is_file() for folder in kept.values()):
        return
    texts = corpus(RECIPE.tokenizer_texts, seed=0)
    processor = build_processor(train_tokenizer(texts, RECIPE.vocabulary))
    model = build_model(processor.tokenizer, training.size, training.seed)
    settings = SftSettings(
        horizon=training.horizon,
        batch_size=training.batch_size,
        learning_rate=training.learning_rate,
        warmup_steps=training.warmup_steps,
        seed=training.seed,
    )
    folders = {steps: work / folder for steps, folder in kept.items()}
    example = functools.partial(_example, training.seed)
    train_until(model, processor, example, settings, work / f"{name}.training", folders)


def _example(seed: int, index: int) -> Example:
    """The expert's step of that number, in the stream of that seed."""
    step = demonstration(index, random.Random(f"sft/{seed}/{index}"))
    return Example(step_messages(step.goal, step.thoughts, step.screen), step.response)


def _make_pairs(work: Path) -> None:
    """The init's sampled successes against greedy failures of the init (4b) or of the 2b."""
    recipe = RECIPE.pairs
    tasks = make_tasks("train", recipe.tasks, recipe.task_seed)
    facts = _facts(work / "init", tasks)
    sampled = range(1, recipe.sampled + 1)
    better = _attempts(work / "init", tasks, recipe, recipe.temperature, sampled)
    for name, policy in NEGATIVES.items():
        worse = _attempts(work / policy, tasks, recipe, temperature=0.0, samples=range(1))
        pairs = raw_pairs(better, worse, recipe.per_task, facts)
        write_pairs(work / _pairs_name(name), itertools.islice(pairs, recipe.count))


def _attempts(
    folder: Path, tasks: list[Task], recipe: PairRecipe, temperature: float, samples: range
) -> list[Trajectory]:
    """Every task once for each number in `samples`."""
    sampling = Sampling(temperature, _MAX_NEW_TOKENS, recipe.sampling_seed)
    policy = VlmPolicy(load_model(folder), load_processor(folder), sampling)
    bar = tqdm(total=len(samples) * len(tasks), desc=f"attempts of {folder.name}")
    played = []
    for sample in samples:
        for trajectory in rollout(policy, PhoneWorld, tasks, recipe.batch_size, sample):
            played.append(trajectory)
            bar.update()
    return played


def _facts(folder: Path, tasks: list[Task]) -> dict[str, dict[str, str]]:
    """What the metadata of a task's attempts say."""
    rendering = rendering_digest(read_text(folder / "chat_template.jinja"))
    world = {
        "env_id": "reproof.tiny.phone",
        "env_version": WORLD_VERSION,
        "rendering_digest": rendering,
    }
    return {task.task_id: {"goal": task.goal, **world} for task in tasks}


def _describe(work: Path) -> dict[str, Any]:
    """The record of the inputs: recipe, digests, and how good each model is on dev."""
    return {
        "recipe": RECIPE.to_json(),
        "pins": pins.current().to_json(),
        "weights": {name: read_weights(work / name).root for name in MODELS},
        "files": {path.relative_to(work).as_posix(): sha256_file(path) for path in _files(work)},
        "dev": {name: _score(work / name) for name in MODELS},
    }


def _files(work: Path) -> Iterator[Path]:
    for name in MODELS:
        yield from sorted(path for path in (work / name).iterdir() if path.is_file())
    yield from (work / _pairs_name(name) for name in NEGATIVES)


def _score(folder: Path) -> dict[str, Any]:
    """Greedy on the dev tasks."""
    tasks = make_tasks("dev", RECIPE.dev_tasks, seed=1)
    greedy = Sampling(0.0, _MAX_NEW_TOKENS, seed=0)
    policy = VlmPolicy(load_model(folder), load_processor(folder), greedy)
    returns = [t.episode_return for t in rollout(policy, PhoneWorld, tasks, batch_size=128)]
    success = sum(value >= SUCCESS_AT for value in returns)
    return {"n": len(tasks), "mean_return": math.fsum(returns) / len(tasks), "success": success}


def _differences(shipped: Any, made: Mapping[str, Any]) -> Iterator[str]:
    """Which files are not those that were shipped."""
    if not isinstance(shipped, dict):
        yield "inputs: nothing was shipped, so there is nothing to compare with"
        return
    before, after = shipped["files"], made["files"]
    changed = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    yield from (f"inputs: {name} differs from the shipped file" for name in changed)
    if not changed:
        yield "inputs: every file is byte for byte the one that was shipped"


def _pairs_name(negatives: str) -> str:
    return f"pairs-{negatives}.parquet"
