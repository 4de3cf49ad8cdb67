"""Hold a run against a baseline: read the record, its episodes and the baseline, then judge."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from reproof.ground.errors import InputError
from reproof.ground.files import sha256_file
from reproof.ground.unknown import Unknown
from reproof.record.record import RunRecord, read_record
from reproof.record.results import ModelResult
from reproof.scores.episode import read_episodes
from reproof.scores.evaluation import EvalResult, summarise
from reproof.verdict.baseline import Control, find_baseline, read_baseline
from reproof.verdict.check import judge
from reproof.verdict.side import Side, TaskReturn, run_facts, side_of_result, task_returns
from reproof.verdict.verdict import Tolerance, Verdict

RECORD = Path("run_info/run_info.json")


class Run(NamedTuple):
    """A record, and the folder its paths are relative to, where that can be told."""

    record: RunRecord
    root: Path | None


def check(
    run: Path,
    baseline: str,
    tolerance: Tolerance,
    model: str | None = None,
    control: Control | None = None,
    allow_blind: bool = False,
) -> Verdict:
    """The verdict on `run`, a folder or a run_info.json, against a baseline's name or file.

    `model` is the run's model to look at, by default the one that the baseline names.
    InputError when something to be compared is missing or broken.
    """
    found = read_run(run)
    reference = read_baseline(find_baseline(found.root or Path(), baseline))
    if control is not None:
        reference = replace(reference, negative_control=control)
    ours = side_of(found, model or reference.side.model)
    return judge(ours, reference, tolerance, allow_blind)


def read_run(path: Path) -> Run:
    """The record of a folder, or of a run_info.json that may lie anywhere."""
    if path.is_dir():
        if not (path / RECORD).is_file():
            raise InputError(str(path / RECORD), "does not exist", "run `reproof record` first")
        return Run(read_record(path / RECORD), path)
    record = read_record(path)
    in_place = path.resolve().parts[-2:] == RECORD.parts
    return Run(record, path.resolve().parents[1] if in_place else None)


def side_of(run: Run, model: str) -> Side:
    """What a run says about one of its models, per task where its episodes are at hand."""
    result = run.record.results.get(model)
    if result is None:
        there = ", ".join(run.record.results) or "none"
        raise InputError(f"the run, model {model}", "has no result", f"evaluate it; there: {there}")
    if isinstance(result, Unknown):
        raise InputError(f"the run, model {model}", f"has no result: {result.why}", "evaluate it")
    _refuse_changed(run.record)
    parsed = EvalResult.from_json(result.path, result.content)
    return side_of_result(parsed, _tasks(run.root, result, parsed), run_facts(run.record, model))


def _tasks(
    root: Path | None, result: ModelResult, parsed: EvalResult
) -> tuple[TaskReturn, ...] | Unknown:
    if root is None or not (root / result.episodes_path).is_file():
        return Unknown(f"{result.episodes_path} is not at hand")
    path = root / result.episodes_path
    if sha256_file(path) != parsed.episodes_sha256:
        rule = "is not the file that the record names"
        raise InputError(str(path), rule, "restore it, or run `reproof record` again")
    episodes = read_episodes(path)
    again = summarise(parsed.model, parsed.protocol, episodes, parsed.episodes_sha256)
    if again != parsed:
        rule = f"does not say what its episodes give (mean_return {again.mean_return})"
        raise InputError(result.path, rule, "restore it with git, or evaluate again")
    return task_returns(str(path), parsed.protocol, episodes)


def _refuse_changed(record: RunRecord) -> None:
    """A result of files that were changed after their stage had ended is nobody's result."""
    if isinstance(record.pipeline, Unknown):
        return
    recorded = record.pipeline.given() | record.pipeline.made()
    for path, artifact in recorded.items():
        if artifact.on_disk == "changed":
            rule = "was not what its stage had made when the run was recorded"
            raise InputError(path, rule, "restore it (`dvc checkout`, git) or run `dvc repro`")
