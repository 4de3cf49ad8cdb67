"""Make a baseline of a finished run, so that later runs can be held against it."""

from pathlib import Path
from typing import Any

import yaml

from reproof.flow.check import Run, read_run, side_of
from reproof.ground.errors import InputError, StageError
from reproof.ground.files import write_whole
from reproof.ground.unknown import Unknown
from reproof.record.record import RunRecord
from reproof.record.results import RecordedFile
from reproof.record.world import GitState
from reproof.verdict.baseline import FOLDER, Baseline, Control, read_baseline
from reproof.verdict.check import can_see
from reproof.verdict.side import Side
from reproof.verdict.verdict import Tolerance

_CONTROL = "init"
_NO_NOISE = Unknown("no repeats of this run have been measured")


def set_baseline(
    root: Path, name: str, model: str | None = None, about: str = "", force: bool = False
) -> Path:
    """Write run_info/baselines/NAME.yaml from the record in `root`; its path.

    `model` is by default the one that the comparison recommends on mean_return. The
    model that training started from becomes the negative control. StageError when the
    run is not finished, InputError when the name is taken (unless `force`) or is no name.
    """
    path = root / FOLDER / f"{name}.yaml"
    if not name.replace("-", "").replace("_", "").isalnum():
        raise InputError(f"baseline {name}", "is no name", "use letters, digits, - and _")
    if path.exists() and not force:
        raise InputError(str(path), "is there already", "choose another name, or say --force")
    run = read_run(root)
    _check_finished(run.record)
    write_whole(path, baseline_text(make_baseline(run, name, model, about)))
    read_baseline(path)  # a baseline that its own reader refuses must not be left for later
    return path


def make_baseline(run: Run, name: str, model: str | None, about: str) -> Baseline:
    """The baseline as a value."""
    chosen = model or _recommended(run.record)
    side = side_of(run, chosen)
    if isinstance(side.tasks, Unknown):
        raise StageError(f"baseline {name}", side.tasks.why, "run the evaluation again")
    return Baseline(
        name=name,
        about=about or f"{chosen} of a run of this repository",
        source=_source(run.record.git),
        side=side,
        noise=_NO_NOISE,
        negative_control=_control(run, side),
    )


def baseline_text(baseline: Baseline) -> str:
    """YAML with one line a task; `parse_baseline` reads it back."""
    head = "# Made by `reproof baseline set`; `reproof check --baseline` reads it.\n"
    content: dict[str, Any] = baseline.to_json()
    # None: what holds only plain values goes on one line
    body = yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=10**9)
    return head + body


def _check_finished(record: RunRecord) -> None:
    for kind, value in (("inputs", record.inputs_id), ("outputs", record.outputs_id)):
        if isinstance(value, Unknown):
            rule = f"the run has no {kind}_id: {value.why}"
            raise StageError("baseline", rule, "finish the run with `dvc repro`, then record it")


def _recommended(record: RunRecord) -> str:
    if isinstance(record.comparison, RecordedFile):
        for pick in record.comparison.content.get("picks", ()):
            if pick.get("metric") == "mean_return":
                return str(pick["recommended"])
    raise StageError("baseline", "no comparison recommends a model", "name one with --model")


def _control(run: Run, side: Side) -> Control | Unknown:
    """The nearest wrong answer: training that did nothing."""
    if side.model == _CONTROL or _CONTROL not in run.record.results:
        return Unknown(f"there is no other model named {_CONTROL}")
    init = side_of(run, _CONTROL)
    control = Control(_CONTROL, init.mean_return, init.success)
    if can_see(side, control, Tolerance()):
        return control
    distance = abs(side.mean_return - init.mean_return)
    return Unknown(f"{_CONTROL} is only {distance:.4f} away: this check cannot tell them apart")


def _source(git: GitState | Unknown) -> str:
    """The commit that the run was made from; what it was made of stands in `run`."""
    if isinstance(git, Unknown) or isinstance(git.commit, Unknown):
        return "a run outside version control"
    return f"a run at commit {git.commit}{' with uncommitted changes' if git.is_dirty else ''}"
