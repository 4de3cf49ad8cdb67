"""Evaluation: one protocol for all, the same bytes again, a model that is not there is named."""

from dataclasses import replace
from pathlib import Path

import pytest

from reproof.flow.evaluate import evaluate, protocol_of
from reproof.ground.errors import StageError
from reproof.ground.params import Params, read_params
from reproof.scores.episode import read_episodes
from reproof.scores.evaluation import read_result
from reproof.tiny.tasks import make_tasks

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    init = tmp_path / "models/init"
    init.mkdir(parents=True)
    (init / "chat_template.jinja").write_text("{{ messages }}")
    return tmp_path


@pytest.fixture
def params() -> Params:
    params = read_params(ROOT / "params.yaml")
    return replace(params, evaluate=replace(params.evaluate, tasks=39))


def test_the_blind_policy_is_a_row_like_any_other(project: Path, params: Params) -> None:
    result = evaluate(project, "blind", params)
    folder = project / "data/eval/blind"
    episodes = read_episodes(folder / "episodes.parquet")
    assert read_result(folder / "result.json") == result
    assert [e.task_id for e in episodes] == [t.task_id for t in make_tasks("test", 39, 1)]
    assert result.n == 39
    # It submits an answer to every question, which is half of the checks; it never sees one.
    asked = [e for e in episodes if e.task_id.endswith(("-sky", "-colour"))]
    assert all((e.episode_return or 0) >= 0.25 or e.stop_reason != "COMPLETE" for e in asked)
    assert 0 < result.mean_return < 0.5


def test_the_same_evaluation_gives_the_same_bytes(project: Path, params: Params) -> None:
    files = ("episodes.parquet", "result.json")
    written = []
    for _ in range(2):
        evaluate(project, "blind", params)
        written.append([(project / "data/eval/blind" / name).read_bytes() for name in files])
    assert written[0] == written[1]


def test_the_protocol_names_what_changes_a_score(project: Path, params: Params) -> None:
    folder, settings = project / "models/init", params.evaluate
    tasks = make_tasks("test", 39, 1)
    protocol = protocol_of(folder, tasks, settings)
    assert protocol.unknown_fields() == ()
    other_tasks = protocol_of(folder, make_tasks("test", 39, 2), settings)
    warmer = protocol_of(folder, tasks, replace(settings, temperature=1.0))
    (folder / "chat_template.jinja").write_text("another {{ messages }}")
    rendered = protocol_of(folder, tasks, settings)
    changed = [
        [difference.field for difference in protocol.differences(other)]
        for other in (other_tasks, warmer, rendered)
    ]
    assert changed == [["task_set_digest"], ["temperature"], ["rendering_digest"]]


def test_a_checkpoint_that_is_not_there_is_named(project: Path, params: Params) -> None:
    with pytest.raises(StageError, match=r"models/epoch-2.*dvc repro"):
        evaluate(project, "epoch-2", params)
    assert not (project / "data/eval/epoch-2").exists()
