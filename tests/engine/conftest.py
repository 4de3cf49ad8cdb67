"""A model and pairs small enough to train in a second."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from reproof.engine.vlm import Messages, Prompt, Response
from reproof.flow.pairing import raw_pairs
from reproof.pairs.pair import write_pairs
from reproof.tiny.tasks import Task, make_tasks


@dataclass(frozen=True)
class Bench:
    """A folder with a random model, and a file of real pairs that it can be trained on."""

    model: Path
    pairs: Path
    tasks: list[Task]


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    import torch

    from reproof.tiny.model import Size, build_model, build_processor, corpus, train_tokenizer

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("bench")
    tokenizer = train_tokenizer(corpus(200, seed=0), 420)
    size = Size(hidden=32, layers=2, heads=2, vision_hidden=32, vision_depth=1)
    build_model(tokenizer, size, seed=0).save_pretrained(folder / "model")
    build_processor(tokenizer).save_pretrained(folder / "model")
    tasks = make_tasks("train", 6, seed=3)
    _write_pairs(folder, tasks)
    return Bench(folder / "model", folder / "pairs.parquet", tasks)


def _write_pairs(folder: Path, tasks: list[Task]) -> None:
    """The expert against the expert stopped early: pairs that begin alike."""
    from reproof.engine.rollout import rollout
    from reproof.tiny.world import PhoneWorld

    good = ScriptedPolicy(folder / "model", tasks, cut=99)
    bad = ScriptedPolicy(folder / "model", tasks, cut=2)
    played = [list(rollout(p, PhoneWorld, tasks, batch_size=1)) for p in (good, bad)]
    facts = {task.task_id: {"goal": task.goal} for task in tasks}
    write_pairs(folder / "pairs.parquet", raw_pairs(played[0], played[1], 1, facts))


class ScriptedPolicy:
    """Plays the expert's turns, and gives up after `cut` of them; one episode at a time."""

    def __init__(self, model: Path, tasks: list[Task], cut: int) -> None:
        from reproof.engine.vlm import load_processor

        self._processor = load_processor(model)
        self._cut = cut
        self._turns = [turn for task in tasks for turn in self._play(task)]

    def render(self, messages: Messages) -> Prompt:
        from reproof.engine.vlm import render_prompt

        return render_prompt(self._processor, messages)

    def respond(self, prompts: Sequence[Prompt], draw: int) -> list[Response]:
        text = self._turns.pop(0)
        ids = self._processor.tokenizer.encode(text + "<|im_end|>", add_special_tokens=False)
        return [Response(text, tuple(ids))]

    def _play(self, task: Task) -> list[str]:
        from reproof.tiny.action import terminate, write_response
        from reproof.tiny.expert import Expert
        from reproof.tiny.phone import Phone

        phone, turns = Phone(), []
        phone.begin(task)
        for thought, action in Expert(phone).moves():
            turns.append(write_response(thought, action))
            phone.apply(turns[-1])
        if len(turns) > self._cut:
            return [*turns[: self._cut], write_response("done", terminate("success"))]
        return turns


@pytest.fixture
def rng() -> random.Random:
    return random.Random(0)
