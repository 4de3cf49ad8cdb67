import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reproof.flow.baseline import set_baseline
from reproof.flow.check import check
from reproof.flow.record import record
from reproof.ground.errors import InputError, StageError
from reproof.ground.unknown import Unknown
from reproof.verdict.baseline import Control, read_baseline
from reproof.verdict.verdict import Tolerance, Verdict
from tests.record.project import write_lock, write_outputs, write_project

PUBLISHED = Path(__file__).parents[2] / "run_info/baselines/mobilegym-4b-epoch-1.yaml"
NOW = datetime(2026, 12, 1, tzinfo=UTC)
OFF = {"REPROOF_PINS": "off"}
RETURNS = {
    "init": [1.0] * 2 + [0.0] * 38,
    "epoch-1": [1.0] * 20 + [0.25] * 10 + [0.0] * 10,
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded run with a baseline of itself."""
    root = write_project(tmp_path_factory.mktemp("finished"), RETURNS)
    record(root, NOW, OFF)
    set_baseline(root, "tiny", "epoch-1")
    return root


@pytest.fixture
def project(finished: Path, tmp_path: Path) -> Path:
    return shutil.copytree(finished, tmp_path / "project")


def again(root: Path, epoch_1: list[float]) -> Verdict:
    """The verdict after another run that gave these returns."""
    write_outputs(root, RETURNS | {"epoch-1": epoch_1})
    write_lock(root)
    record(root, NOW, OFF)
    return check(root, "tiny", Tolerance())


def test_a_run_is_identical_to_the_baseline_made_of_it(finished: Path) -> None:
    verdict = check(finished, "tiny", Tolerance())
    assert (verdict.outcome, verdict.mode) == ("identical", "per-task")
    assert (verdict.input_differences, verdict.environment_differences) == ((), ())


def test_a_repeat_in_another_folder_is_identical(project: Path) -> None:
    assert again(project, RETURNS["epoch-1"]).outcome == "identical"


def test_a_run_that_lost_everything_has_drifted(project: Path) -> None:
    verdict = again(project, [0.0] * 40)
    assert (verdict.outcome, verdict.direction) == ("drifted", "down")


def test_edited_code_is_named_before_the_numbers(project: Path) -> None:
    (project / "code/train.py").write_text("print('edited')\n")
    verdict = again(project, RETURNS["epoch-1"])
    assert verdict.input_differences == ("code: code/train.py has changed",)
    assert verdict.sentence.startswith("Inputs differ (code). ")
    assert verdict.outcome != "identical"


def test_the_published_result_of_another_world_is_not_comparable(finished: Path) -> None:
    verdict = check(finished, str(PUBLISHED), Tolerance())
    assert (verdict.outcome, verdict.exit_code()) == ("not_comparable", 4)
    fields = [difference.field for difference in verdict.protocol_differences]
    assert "env_id" in fields
    assert "n_tasks" in fields


def test_without_episodes_only_totals_are_judged(project: Path) -> None:
    (project / "data/eval/epoch-1/episodes.parquet").unlink()
    verdict = check(project, "tiny", Tolerance())
    assert (verdict.outcome, verdict.mode) == ("consistent", "aggregates")


def test_a_record_that_lies_alone_is_judged_by_its_totals(project: Path, tmp_path: Path) -> None:
    alone = shutil.copy(project / "run_info/run_info.json", tmp_path / "some.json")
    verdict = check(Path(alone), str(project / "run_info/baselines/tiny.yaml"), Tolerance())
    assert verdict.mode == "aggregates"


def test_a_record_in_its_place_finds_its_episodes(finished: Path) -> None:
    path = finished / "run_info/run_info.json"
    assert check(path, "tiny", Tolerance()).mode == "per-task"


def test_episodes_that_are_not_those_of_the_record_are_refused(project: Path) -> None:
    path = project / "data/eval/epoch-1/episodes.parquet"
    path.write_bytes((project / "data/eval/init/episodes.parquet").read_bytes())
    with pytest.raises(InputError, match="is not the file that the record names"):
        check(project, "tiny", Tolerance())


def test_a_run_without_a_record_asks_for_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="run `reproof record` first"):
        check(tmp_path, "tiny", Tolerance())


def test_a_model_that_was_not_evaluated_is_named_with_those_that_were(finished: Path) -> None:
    with pytest.raises(InputError, match=r"model epoch-9: has no result; .*epoch-1, init"):
        check(finished, "tiny", Tolerance(), model="epoch-9")


def test_another_model_of_the_run_can_be_held_against_it(finished: Path) -> None:
    assert check(finished, "tiny", Tolerance(), model="init").outcome == "drifted"


def test_a_given_control_takes_the_place_of_the_baselines_own(finished: Path) -> None:
    with pytest.raises(Exception, match="near, the negative control"):
        check(finished, "tiny", Tolerance(), control=Control("near", 0.561, 20))


def test_a_baseline_says_where_it_is_from_and_what_must_not_pass(finished: Path) -> None:
    baseline = read_baseline(finished / "run_info/baselines/tiny.yaml")
    assert baseline.source.startswith("a run at commit ")
    assert baseline.negative_control == Control("init", 0.05, 2)
    assert not isinstance(baseline.side.tasks, Unknown)
    assert len(baseline.side.tasks) == 40


def test_an_init_that_is_too_near_is_no_control(project: Path) -> None:
    write_outputs(project, RETURNS | {"init": RETURNS["epoch-1"]})
    write_lock(project)
    record(project, NOW, OFF)
    control = read_baseline(set_baseline(project, "near", "epoch-1")).negative_control
    assert isinstance(control, Unknown)
    assert "cannot tell them apart" in control.why


def test_a_baseline_takes_the_recommended_model(project: Path) -> None:
    # 20 solved tasks against 2: the data tell them apart, so the cheap init is not enough
    path = set_baseline(project, "other")
    assert read_baseline(path).side.model == "epoch-1"


def test_a_baseline_is_not_replaced_by_accident(project: Path) -> None:
    with pytest.raises(InputError, match="is there already"):
        set_baseline(project, "tiny", "epoch-1")
    set_baseline(project, "tiny", "init", force=True)
    assert read_baseline(project / "run_info/baselines/tiny.yaml").side.model == "init"


@pytest.mark.parametrize("name", ["", "../out", "a b", "a/b"])
def test_a_baseline_needs_a_plain_name(name: str, finished: Path) -> None:
    with pytest.raises(InputError, match="is no name"):
        set_baseline(finished, name, "epoch-1")


def test_an_unfinished_run_makes_no_baseline(project: Path) -> None:
    (project / "models/epoch-1/model.safetensors").unlink()
    record(project, NOW, OFF)
    with pytest.raises(StageError, match="the run has no outputs_id"):
        set_baseline(project, "other", "epoch-1")
    assert not (project / "run_info/baselines/other.yaml").exists()


def test_a_result_edited_after_its_stage_is_refused(project: Path) -> None:
    result = project / "data/eval/epoch-1/result.json"
    result.write_text(result.read_text().replace('"success_rate"', '"success_rate" '))
    record(project, NOW, OFF)
    with pytest.raises(InputError, match="data/eval/epoch-1: was not what its stage had made"):
        check(project, "tiny", Tolerance())


def test_a_result_that_its_episodes_contradict_is_refused_though_the_lock_agrees(
    project: Path,
) -> None:
    path = project / "data/eval/epoch-1/result.json"
    value = json.loads(path.read_text())
    value["metrics"]["mean_return"] += 0.01
    path.write_text(json.dumps(value))
    write_lock(project)
    record(project, NOW, OFF)
    with pytest.raises(InputError, match="does not say what its episodes give"):
        check(project, "tiny", Tolerance())
