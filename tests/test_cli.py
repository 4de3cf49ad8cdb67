import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from reproof.cli import VERBS, main
from reproof.flow.baseline import set_baseline
from reproof.flow.record import record
from tests.record.project import write_lock, write_outputs, write_project

ROOT = Path(__file__).parents[1]
NOW = datetime(2026, 12, 1, tzinfo=UTC)
RETURNS = {
    "init": [1.0] * 2 + [0.0] * 38,
    "epoch-1": [1.0] * 20 + [0.25] * 10 + [0.0] * 10,
}


class Said(NamedTuple):
    """What a command ended with and printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The answer, which must be JSON and nothing else."""
        return json.loads(self.out)


def say(*arguments: object) -> Said:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:  # argparse's own way out
            code = int(end.code or 0)
    return Said(code, out.getvalue(), err.getvalue())


def process(*arguments: object, **environ: str) -> Said:
    """The same in a process of its own, as a user has it."""
    call = [sys.executable, "-m", "reproof.cli", *map(str, arguments)]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **environ}
    done = subprocess.run(call, capture_output=True, text=True, env=env)
    return Said(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_project(tmp_path_factory.mktemp("finished"), RETURNS)
    # as `reproof compare` reads it, with every section
    shutil.copy(ROOT / "params.yaml", root / "params.yaml")
    record(root, NOW)
    set_baseline(root, "tiny", "epoch-1")
    return root


@pytest.fixture
def project(finished: Path, tmp_path: Path) -> Path:
    return shutil.copytree(finished, tmp_path / "project")


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_every_verb_explains_itself_with_an_example(verb: str) -> None:
    said = say(verb, "--help")
    assert said.code == 0
    assert f"example: reproof {verb}" in said.out
    assert "--json" in said.out


def test_help_lists_every_verb() -> None:
    said = say("--help")
    assert all(f"    {verb.name} " in said.out for verb in VERBS)


@pytest.mark.parametrize("arguments", [[], ["chek"], ["check"], ["check", "--surplus"]])
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    assert say(*arguments).code == 2


def test_record_writes_and_names_the_ids(project: Path) -> None:
    shutil.rmtree(project / "run_info")
    said = say("record", "-C", project)
    assert said.code == 0
    assert "outputs_id" in said.out
    assert (project / "run_info/run_info.txt").is_file()
    ids = say("record", "-C", project, "--json").json
    assert ids == json.loads((project / "run_info/run_info.json").read_text())["ids"]


def test_record_works_in_a_folder_with_nothing_in_it(tmp_path: Path) -> None:
    assert say("record", "-C", tmp_path).code == 0


def test_check_says_identical_and_ends_with_0(finished: Path) -> None:
    said = say("check", finished, "--baseline", "tiny")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("IDENTICAL: ")


def test_check_ends_with_1_after_drift(project: Path) -> None:
    write_outputs(project, RETURNS | {"epoch-1": [0.0] * 40})
    write_lock(project)
    record(project, NOW)
    said = say("check", project, "--baseline", "tiny")
    assert said.code == 1
    assert said.out.startswith("DRIFTED DOWN: ")


def test_check_ends_with_1_or_0_after_drift_upward(project: Path) -> None:
    write_outputs(project, RETURNS | {"epoch-1": [1.0] * 40})
    write_lock(project)
    record(project, NOW)
    assert say("check", project, "--baseline", "tiny").code == 1
    assert say("check", project, "--baseline", "tiny", "--one-sided").code == 0


def test_check_ends_with_4_against_another_world(finished: Path) -> None:
    published = ROOT / "run_info/baselines/mobilegym-4b-epoch-1.yaml"
    said = say("check", finished, "--baseline", published)
    assert said.code == 4
    assert said.out.startswith("NOT COMPARABLE: ")
    assert "env_id" in said.out


def test_check_ends_with_3_when_strict_and_unproven(project: Path) -> None:
    (project / "data/eval/epoch-1/episodes.parquet").unlink()
    assert say("check", project, "--baseline", "tiny").code == 0
    said = say("check", project, "--baseline", "tiny", "--strict", "--json")
    assert (said.code, said.json["exit_code"]) == (3, 3)
    assert said.json["outcome"] == "consistent"


@pytest.mark.parametrize("switch", [["--json"], ["--format", "json"]])
def test_check_answers_in_json(switch: list[str], finished: Path) -> None:
    said = say("check", finished, "--baseline", "tiny", *switch)
    assert said.json["outcome"] == "identical"
    assert said.json["numbers"]["n"] == 40


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--baseline", "tinny"], "baseline tinny: does not exist; did you mean tiny?"),
        (["--baseline", "tiny", "--tol", "nan"], "tolerance: mean must lie in"),
        (["--baseline", "tiny", "--tol", "0.9"], "init, the negative control, would be inside"),
        (["--baseline", "tiny", "--model", "x"], "model x: has no result"),
        (["--baseline", "tiny", "--negative-control", "0.561/20"], "the given one"),
    ],
)
def test_an_error_is_one_line_and_2(arguments: list[str], message: str, finished: Path) -> None:
    said = say("check", finished, *arguments)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert said.err.count("\n") == 1


def test_an_error_is_json_too_when_asked(finished: Path) -> None:
    said = say("check", finished, "--baseline", "tyni", "--json")
    assert said.code == 2
    assert said.json["error"]["where"] == "baseline tyni"


def test_the_blind_may_go_on_if_they_say_so(finished: Path) -> None:
    said = say("check", finished, "--baseline", "tiny", "--tol", "0.9", "--allow-blind")
    assert said.code == 0


def test_a_negative_control_that_is_none_is_wrong_usage(finished: Path) -> None:
    said = say("check", finished, "--baseline", "tiny", "--negative-control", "67")
    assert said.code == 2
    assert "MEAN/SUCCESS" in said.err


def test_compare_computes_the_table_again(finished: Path) -> None:
    said = say("compare", "-C", finished)
    assert said.code == 0
    assert "epoch-1" in said.out
    rows = say("compare", "-C", finished, "--json").json["rows"]
    assert {row["model"]: row["success"] for row in rows} == {"init": 2, "epoch-1": 20}


def test_baseline_set_writes_one_that_check_can_read(project: Path) -> None:
    said = say("baseline", "set", "mine", "--model", "init", "-C", project)
    assert said.code == 0
    assert say("check", project, "--baseline", "mine").out.startswith("IDENTICAL")
    assert say("baseline", "set", "mine", "--model", "init", "-C", project).code == 2


def test_a_process_of_its_own_says_the_same(finished: Path) -> None:
    said = process("check", finished, "--baseline", "tiny")
    assert said == say("check", finished, "--baseline", "tiny")


def test_a_reader_that_goes_away_is_no_traceback(finished: Path) -> None:
    call = f"{sys.executable} -m reproof.cli compare -C {finished} --json | true"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(["bash", "-c", call], capture_output=True, text=True, env=env)
    assert done.stderr == ""


def test_nothing_reports_home() -> None:
    for name in ("DO_NOT_TRACK", "DVC_NO_ANALYTICS", "MLFLOW_DISABLE_TELEMETRY"):
        os.environ.pop(name, None)
    say("--help")
    assert os.environ["DO_NOT_TRACK"] == os.environ["DVC_NO_ANALYTICS"] == "1"
    assert os.environ["MLFLOW_DISABLE_TELEMETRY"] == "true"


def test_help_and_check_load_nothing_heavy(finished: Path) -> None:
    # pandas, which dev has for tests, comes with pq.read_table: another two seconds
    heavy = "torch mlflow dvc git scipy matplotlib statsmodels transformers"
    for arguments in (["--help"], ["check", str(finished), "--baseline", "tiny"]):
        script = (
            "import sys, contextlib\n"
            "from reproof.cli import main\n"
            f"with contextlib.suppress(SystemExit): main({arguments!r})\n"
            f"print([name for name in {heavy.split()!r} if name in sys.modules])"
        )
        env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        call = [sys.executable, "-c", script]
        done = subprocess.run(call, capture_output=True, text=True, env=env, check=True)
        assert done.stdout.splitlines()[-1] == "[]"


def test_check_takes_little_processor_time(finished: Path) -> None:
    before = os.times()
    process("check", finished, "--baseline", "tiny")
    after = os.times()
    # processor time, not wall time: other work on the machine does not count
    spent = after.children_user - before.children_user
    assert spent < 4


def test_a_folder_that_is_not_there_is_refused_and_not_made(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    with pytest.raises(SystemExit) as ended:
        main(["record", "-C", str(nowhere)])
    assert ended.value.code == 2
    assert not nowhere.exists()


@pytest.mark.parametrize("text", ["9/9", "nan/3", "inf/1", "0.3/-1", "x", "0.3"])
def test_a_negative_control_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "--baseline", "tiny", "--negative-control", text])
    assert ended.value.code == 2


def test_a_fault_of_ours_has_a_code_that_is_no_verdict() -> None:
    """A full disk behind stdout: 1 would say "drifted"."""
    command = [sys.executable, "-m", "reproof.cli", "audit", "docs/examples/dpo-4b-mobilegym.txt"]
    root = Path(__file__).parents[1]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=root, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 70
    assert done.stderr.startswith("reproof: gave up (OSError")
    assert "Traceback" not in done.stderr
