"""Evaluate one model: every task once, one protocol, one row a task."""

from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from reproof.engine.rollout import rollout
from reproof.engine.vlm import Sampling, VlmPolicy, load_model, load_processor
from reproof.ground.errors import StageError
from reproof.ground.files import read_text, sha256_file, whole_folder, write_json
from reproof.ground.params import EvaluateParams, Params
from reproof.scores.episode import SUCCESS_AT, EpisodeResult, write_episodes
from reproof.scores.evaluation import EvalResult, Protocol, summarise
from reproof.tiny.blind import blind_responses
from reproof.tiny.judge import DEFINITION
from reproof.tiny.phone import WORLD_VERSION, Phone
from reproof.tiny.prompt import rendering_digest
from reproof.tiny.tasks import Task, make_tasks, task_set_digest
from reproof.tiny.world import PhoneWorld

BLIND = "blind"


def evaluate(root: Path, model: str, params: Params) -> EvalResult:
    """Write data/eval/<model>/ (episodes.parquet, result.json) and return the result."""
    settings = params.evaluate
    tasks = make_tasks(settings.split, settings.tasks, settings.task_seed)
    protocol = protocol_of(root / "models" / _shown_by(model), tasks, settings)
    if model == BLIND:
        episodes = [_play_blind(task) for task in tasks]
    else:
        episodes = list(_play(root / "models" / model, tasks, params))
    with whole_folder(root / "data" / "eval" / model) as out:
        write_episodes(out / "episodes.parquet", episodes)
        digest = sha256_file(out / "episodes.parquet")
        result = summarise(model, protocol, episodes, digest)
        write_json(out / "result.json", result.to_json())
    return result


def protocol_of(folder: Path, tasks: list[Task], settings: EvaluateParams) -> Protocol:
    """The protocol that every model of the run is evaluated under."""
    template = folder / "chat_template.jinja"
    if not template.is_file():
        way_out = "run `dvc repro`, which makes the checkpoints first"
        raise StageError(str(folder), "holds no model with a chat template", way_out)
    return Protocol(
        env_id="reproof.tiny.phone",
        env_version=WORLD_VERSION,
        split=settings.split,
        task_set_digest=task_set_digest(tasks),
        n_tasks=len(tasks),
        temperature=settings.temperature,
        max_steps="per task, by level",
        max_new_tokens=settings.max_new_tokens,
        group_size=settings.group_size,
        batch_size=settings.batch_size,
        rendering_digest=rendering_digest(read_text(template)),
        judge=DEFINITION,
        error_policy="refuse",
    )


def _shown_by(model: str) -> str:
    """The model whose chat template shapes the prompts; blind sees none, so init's stands in."""
    return "init" if model == BLIND else model


def _play(folder: Path, tasks: list[Task], params: Params) -> Iterator[EpisodeResult]:
    settings = params.evaluate
    sampling = Sampling(settings.temperature, settings.max_new_tokens, params.seed)
    policy = VlmPolicy(load_model(folder), load_processor(folder), sampling)
    bar = tqdm(total=len(tasks), desc=f"evaluate {folder.name}")
    played = rollout(policy, PhoneWorld, tasks, settings.batch_size)
    for task, trajectory in zip(tasks, played, strict=True):
        bar.update()
        turns = tuple(step.response.text for step in trajectory.steps)
        yield _episode(task, trajectory.episode_return, trajectory.stop_reason, turns)


def _play_blind(task: Task) -> EpisodeResult:
    phone, turns = Phone(), tuple(blind_responses(task))
    phone.begin(task)
    for response in turns:
        phone.apply(response)
    return _episode(task, phone.judge().episode_return, str(phone.stop_reason), turns)


def _episode(task: Task, value: float, stop_reason: str, turns: tuple[str, ...]) -> EpisodeResult:
    return EpisodeResult(
        task_id=task.task_id,
        sample=0,
        episode_return=value,
        success=value >= SUCCESS_AT,
        n_steps=len(turns),
        stop_reason=stop_reason,
        actions=turns,
        # Wall time would change the bytes of every run; MLflow holds it.
        seconds=None,
        group=task.goal,
    )
