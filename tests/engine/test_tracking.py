import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reproof.engine.tracking import log_pipeline, tracking_uri
from reproof.engine.tracking_plan import RunLog

PIPELINE = RunLog("pipeline", "inputs-1", params={"seed": 1234})
INIT = RunLog("evaluate@init", "d-init", metrics={"mean_return": 0.5}, seconds=2.0)
TRAIN = RunLog("train-epoch@1", "d-train", curves={"loss": [(1, 0.7), (2, float("nan"))]})
NOW_MS = 1_700_000_000_000


@pytest.fixture(autouse=True)
def _own_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_NAME", "MLFLOW_RUN_ID"):
        monkeypatch.delenv(name, raising=False)


def test_the_store_lies_in_the_repository_unless_the_user_names_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tracking_uri(tmp_path) == f"sqlite:///{tmp_path}/mlflow.db"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://tracking.example:5000")
    assert tracking_uri(tmp_path) == "http://tracking.example:5000"


def test_a_server_that_is_not_there_costs_a_warning_and_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://me:hunter2@127.0.0.1:9")
    begun = time.perf_counter()
    logged = log_pipeline(tmp_path, PIPELINE, [INIT], NOW_MS)
    assert time.perf_counter() - begun < 5
    assert logged.problem == "no connection to http://127.0.0.1:9 (connection refused)"
    assert logged.warning is not None
    assert logged.to_json() == {"unknown": f"not logged: {logged.problem}"}


@pytest.mark.slow
class TestWithARealStore:
    @pytest.fixture
    def client(self, tmp_path: Path) -> Iterator[Any]:
        from mlflow import MlflowClient

        yield MlflowClient(tracking_uri=tracking_uri(tmp_path))

    def runs(self, client: Any) -> list[Any]:
        experiment = client.get_experiment_by_name("reproof")
        return list(client.search_runs([experiment.experiment_id]))

    def test_one_parent_and_one_child_a_stage(self, tmp_path: Path, client: Any) -> None:
        logged = log_pipeline(tmp_path, PIPELINE, [INIT, TRAIN], NOW_MS)
        assert (logged.new, logged.problem) == (("evaluate@init", "train-epoch@1"), None)
        runs = {run.info.run_name: run for run in self.runs(client)}
        assert set(runs) == {"pipeline", "evaluate@init", "train-epoch@1"}
        parent = runs["pipeline"].info.run_id
        children = [run for name, run in runs.items() if name != "pipeline"]
        assert {run.data.tags["mlflow.parentRunId"] for run in children} == {parent}
        assert runs["evaluate@init"].data.metrics == {"mean_return": 0.5}
        assert runs["evaluate@init"].info.end_time - runs["evaluate@init"].info.start_time == 2000
        assert runs["train-epoch@1"].data.metrics == {"loss": 0.7}
        assert runs["train-epoch@1"].data.tags["reproof.not_finite"] == "loss"

    def test_a_repetition_adds_nothing(self, tmp_path: Path, client: Any) -> None:
        log_pipeline(tmp_path, PIPELINE, [INIT, TRAIN], NOW_MS)
        again = log_pipeline(tmp_path, PIPELINE, [INIT, TRAIN], NOW_MS + 1)
        assert (again.new, again.known) == ((), ("evaluate@init", "train-epoch@1"))
        assert len(self.runs(client)) == 3

    def test_a_later_stage_joins_the_parent_that_is_there(
        self, tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log_pipeline(tmp_path, PIPELINE, [INIT], NOW_MS)
        monkeypatch.setenv("MLFLOW_RUN_ID", "0" * 32)
        later = log_pipeline(tmp_path, PIPELINE, [INIT, TRAIN], NOW_MS)
        assert (later.new, later.known) == (("train-epoch@1",), ("evaluate@init",))
        assert [run.info.run_name for run in self.runs(client)].count("pipeline") == 1

    def test_a_stage_broken_off_while_being_logged_is_logged_again(
        self, tmp_path: Path, client: Any
    ) -> None:
        missing = tmp_path / "picture.png"
        broken = RunLog("compare", "d-compare", artifacts=(missing,))
        assert log_pipeline(tmp_path, PIPELINE, [broken], NOW_MS).problem is not None
        missing.write_bytes(b"picture")
        assert log_pipeline(tmp_path, PIPELINE, [broken], NOW_MS).new == ("compare",)
        assert [run.info.run_name for run in self.runs(client)].count("compare") == 1

    def test_another_outcome_stands_beside_the_first(self, tmp_path: Path, client: Any) -> None:
        log_pipeline(tmp_path, PIPELINE, [INIT], NOW_MS)
        other = RunLog("evaluate@init", "d-other", metrics={"mean_return": 0.25})
        assert log_pipeline(tmp_path, PIPELINE, [other], NOW_MS).new == ("evaluate@init",)
        assert len(self.runs(client)) == 3

    def test_a_store_that_cannot_be_opened_is_a_problem_not_a_traceback(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "broken.db").write_bytes(b"this is no database" * 100)
        monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/broken.db")
        assert log_pipeline(tmp_path, PIPELINE, [INIT], NOW_MS).problem is not None
