import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from reproof.flow.record import record, stage_environment
from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.record.pipeline import Pipeline
from reproof.record.record import RunRecord, read_record
from reproof.record.results import ModelResult, RecordedFile
from reproof.record.world import GitState
from tests.record.project import commit, write_lock, write_outputs, write_project, write_sources

NOW = datetime(2026, 12, 1, 6, 30, tzinfo=timezone(timedelta(hours=2)))
OFF = {"REPROOF_PINS": "off"}


def write(root: Path) -> RunRecord:
    return record(root, NOW, OFF)


def test_a_finished_run_is_known_in_every_part(tmp_path: Path) -> None:
    run = write(write_project(tmp_path))
    for part in (run.git, run.pipeline, run.params, run.inputs, run.dedup, run.comparison):
        assert not isinstance(part, Unknown)
    for digest in (run.inputs_id, run.environment_id, run.outputs_id):
        assert isinstance(digest, str)
    assert run.created == "2026-12-01T04:30:00+00:00"
    assert run.seeds == {"seed": 1234, "evaluate.task_seed": 1, "compare.sign_flip_seed": 0}
    assert isinstance(run.signals["epoch-1"], RecordedFile)
    assert run.signals["epoch-1"].content["n_steps"] == 2


def test_what_is_written_is_the_record(tmp_path: Path) -> None:
    run = write(write_project(tmp_path))
    assert read_record(tmp_path / "run_info/run_info.json") == run
    assert str(run.outputs_id) in (tmp_path / "run_info/run_info.txt").read_text()


def test_recording_again_changes_no_digest_and_makes_no_tree_dirty(tmp_path: Path) -> None:
    first = write(write_project(tmp_path))
    second = write(tmp_path)
    assert isinstance(second.git, GitState)
    assert not second.git.is_dirty
    ids = [(r.inputs_id, r.environment_id, r.outputs_id) for r in (first, second)]
    assert ids[0] == ids[1]


def test_a_fresh_clone_in_which_nothing_ran_can_be_recorded(tmp_path: Path) -> None:
    write_sources(tmp_path)
    commit(tmp_path)
    run = write(tmp_path)
    assert run.pipeline == Unknown("there is no dvc.lock: run `dvc repro`")
    assert run.dedup == Unknown("data/dedup/report.json is not there")
    assert isinstance(run.outputs_id, Unknown)
    assert (run.results, run.signals) == ({}, {})
    assert set(run.weights) == {"models/init"}


def test_an_empty_folder_can_be_recorded(tmp_path: Path) -> None:
    run = write(tmp_path)
    assert run.git == Unknown("is not in a git repository")
    assert run.params == Unknown("there is no params.yaml")
    assert read_record(tmp_path / "run_info/run_info.json") == run


def test_stages_that_have_not_run_are_named_and_leave_no_id(tmp_path: Path) -> None:
    write_project(tmp_path)
    lock = (tmp_path / "dvc.lock").read_text()
    (tmp_path / "dvc.lock").write_text(lock[: lock.index("  evaluate@epoch-1:")])
    run = write(tmp_path)
    assert isinstance(run.pipeline, Pipeline)
    assert run.pipeline.not_run == ("compare", "evaluate@epoch-1")
    assert run.inputs_id == Unknown("not in dvc.lock yet: compare, evaluate@epoch-1")


def test_a_missing_output_leaves_inputs_known_and_outputs_not(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "models/epoch-1/model.safetensors").unlink()
    run = write(tmp_path)
    assert isinstance(run.inputs_id, str)
    changed = "models/epoch-1 has changed on disk since dvc.lock was written"
    assert run.outputs_id == Unknown(changed)


def test_code_that_was_edited_after_the_run_is_not_passed_off_as_its_code(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "code/train.py").write_text("print('edited')\n")
    run = write(tmp_path)
    assert run.inputs_id == Unknown("code/train.py has changed on disk since dvc.lock was written")
    assert isinstance(run.git, GitState)
    assert [change.path for change in run.git.changes] == ["code/train.py"]


def test_code_of_a_frozen_stage_may_move_on(tmp_path: Path) -> None:
    before = write(write_project(tmp_path)).inputs_id
    (tmp_path / "code/inputs.py").write_text("print('edited')\n")
    assert write(tmp_path).inputs_id == before


@pytest.mark.parametrize("path", ["code/train.py", "data/raw/pairs-4b.parquet", "params"])
def test_the_inputs_id_moves_with_code_data_and_params(path: str, tmp_path: Path) -> None:
    before = write(write_project(tmp_path)).inputs_id
    if path == "params":
        lock = (tmp_path / "dvc.lock").read_text()
        (tmp_path / "dvc.lock").write_text(lock.replace("seed: 1234", "seed: 1235"))
    else:
        (tmp_path / path).write_text("edited")
        write_lock(tmp_path)
    after = write(tmp_path)
    assert isinstance(after.inputs_id, str)
    assert after.inputs_id != before


def test_the_outputs_id_moves_with_one_return(tmp_path: Path) -> None:
    before = write(write_project(tmp_path))
    returns = {"init": [1.0, 0.0, 0.25], "epoch-1": [1.0, 0.0, 0.5]}
    write_outputs(tmp_path, returns)
    write_lock(tmp_path)
    after = write(tmp_path)
    assert after.inputs_id == before.inputs_id
    assert after.outputs_id != before.outputs_id


def test_the_weights_in_the_outputs_id_do_not_depend_on_the_file(tmp_path: Path) -> None:
    import numpy as np
    from safetensors.numpy import save_file

    before = write(write_project(tmp_path))
    tensors = {"a.weight": np.full((2, 3), 1, np.float32), "b": np.zeros(0, np.float32)}
    path = tmp_path / "models/epoch-1/model.safetensors"
    save_file(tensors, path, metadata={"format": "pt"})
    write_lock(tmp_path)
    assert write(tmp_path).outputs_id == before.outputs_id


@pytest.mark.parametrize(
    ("path", "content", "part", "why"),
    [
        ("data/dedup/report.json", "{", "dedup", "cannot be read: is not JSON"),
        ("data/eval/init/result.json", "{}", "init", "cannot be read: lacks 'model'"),
        ("data/eval/init/episodes.parquet", "x", "init", "not what result.json was made from"),
        ("data/signals/epoch-1.jsonl", "x\n", "epoch-1", "cannot be read: is not JSON"),
    ],
)
def test_a_broken_file_is_a_reason_and_no_failure(
    path: str, content: str, part: str, why: str, tmp_path: Path
) -> None:
    write_project(tmp_path)
    (tmp_path / path).write_text(content)
    run = write(tmp_path)
    places = {"dedup": run.dedup, "init": run.results["init"], "epoch-1": run.signals["epoch-1"]}
    fact = places[part]
    assert isinstance(fact, Unknown)
    assert why in fact.why
    assert str(tmp_path) not in json.dumps(run.to_json())


def test_a_lock_that_cannot_be_understood_stops_the_record(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "dvc.lock").write_text("schema: '9'\n")
    with pytest.raises(InputError, match="has schema '9'"):
        write(tmp_path)
    assert not (tmp_path / "run_info").exists()


def test_a_result_without_its_episodes_is_kept_and_makes_no_id(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "data/eval/init/episodes.parquet").unlink()
    run = write(tmp_path)
    result = run.results["init"]
    assert isinstance(result, ModelResult)
    assert isinstance(result.episodes_sha256, Unknown)
    assert isinstance(run.outputs_id, Unknown)


def test_the_record_says_what_a_stage_is_started_with(tmp_path: Path) -> None:
    assert stage_environment({"scale": "tiny"}, {})["PYTHONHASHSEED"] == "0"
    assert stage_environment({"scale": "tiny"}, OFF) == OFF
    assert stage_environment({"scale": "paper"}, {"A": "b"}) == {"A": "b"}
