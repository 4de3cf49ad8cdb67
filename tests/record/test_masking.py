import json
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
import yaml

from reproof.engine.tracking_plan import RunLog, plan_run
from reproof.flow.record import assemble, record
from reproof.flow.track import stage_logs
from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.probe.machine import THREADS
from reproof.record.masking import without_secrets
from reproof.record.pipeline import Pipeline
from reproof.record.record import RunRecord, read_record
from tests.record.project import PARAMS, git, write_lock, write_project
from tests.secret_corpus import corpus

NOW = datetime(2026, 12, 1, 4, 30, tzinfo=UTC)
SCHEMA = Path(__file__).parents[2] / "src/reproof/record/schema/run_info.v1.json"
KINDS = corpus(3)
TEXTS = {kind: text for kind, (text, _) in KINDS.items()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with every kind of secret in every place where one can get into a record."""
    root = write_project(tmp_path_factory.mktemp("leaky"))
    (root / "data/inputs.json").write_text(json.dumps({"argv": list(TEXTS.values())}))
    write_lock(root)
    lock = yaml.safe_load((root / "dvc.lock").read_text())
    lock["stages"]["dedup"]["cmd"] = list(TEXTS.values())
    lock["stages"]["dedup"]["params"] = {"params.yaml": TEXTS}
    (root / "dvc.lock").write_text(yaml.safe_dump(lock))
    params = {**PARAMS, "leaky": TEXTS, "listed": list(TEXTS.values())}
    (root / "params.yaml").write_text(yaml.safe_dump(params))
    for number, text in enumerate(text for text in TEXTS.values() if "/" not in text):
        (root / f"{number} {text}"[:250]).write_text("x")
    return root


@pytest.fixture(scope="module")
def written(project: Path) -> dict[str, str]:
    """Everything that goes out, as text."""
    environ = {name: TEXTS[kind] for name, kind in zip(THREADS, KINDS, strict=False)}
    environ |= {f"SOME_{kind}": text for kind, text in TEXTS.items()} | {"REPROOF_PINS": "off"}
    record(project, NOW, environ, {"uri": TEXTS["url with user"], "all": list(TEXTS.values())})
    whole = assemble(project, NOW, environ, Unknown("no"))
    assert isinstance(whole.pipeline, Pipeline)
    logs = list(stage_logs(project, whole, whole.pipeline))
    logs.append(RunLog("p", "d", params=TEXTS, tags=TEXTS))
    logs.append(RunLog("p", "d", params=dict.fromkeys(TEXTS.values(), 1), tags={}))
    return {
        "run_info.json": (project / "run_info/run_info.json").read_text(),
        "run_info.txt": (project / "run_info/run_info.txt").read_text(),
        "mlflow": "\n".join(repr(plan_run(log, "p")) for log in logs),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_no_secret_gets_out(kind: str, written: dict[str, str]) -> None:
    secret = KINDS[kind][1]
    for form in {secret, json.dumps(secret)[1:-1]}:
        assert [place for place, text in written.items() if form in text] == []


def test_the_record_says_how_many_were_masked(project: Path, written: dict[str, str]) -> None:
    run = read_record(project / "run_info/run_info.json")
    assert run.masked is not None
    assert run.masked.count >= 3 * len(KINDS)
    assert f"{run.masked.count} secrets" in written["run_info.txt"]


def test_its_ids_are_those_of_the_facts_as_they_were(project: Path) -> None:
    whole = assemble(project, NOW, {"REPROOF_PINS": "off"}, Unknown("no"))
    shown = without_secrets(whole)
    assert shown.inputs_id == whole.inputs_id
    assert shown.shown_ids()["inputs_id"] != whole.inputs_id
    assert shown.outputs_id == whole.outputs_id
    assert RunRecord.from_json(json.loads(json.dumps(shown.to_json()))) == shown
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(shown.to_json())
    assert without_secrets(shown) == shown


def test_an_edit_of_what_is_shown_is_seen_all_the_same(project: Path) -> None:
    shown = without_secrets(assemble(project, NOW, {}, Unknown("no"))).to_json()
    dedup = next(s for s in shown["pipeline"]["stages"] if s["name"] == "dedup")
    dedup["cmd"] = "echo"
    with pytest.raises(InputError, match="somebody edited the file"):
        RunRecord.from_json(shown)


def test_a_record_without_secrets_is_left_as_it_is(tmp_path: Path) -> None:
    run = assemble(write_project(tmp_path), NOW, {}, Unknown("no"))
    assert without_secrets(run) is run
    assert "masked" not in run.to_json()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith("url with")])
def test_the_remote_names_no_user(kind: str, tmp_path: Path) -> None:
    root = write_project(tmp_path)
    git(root, "remote", "add", "origin", TEXTS[kind])
    run = record(root, NOW, {})
    assert not isinstance(run.git, Unknown)
    assert run.git.remote == "https://host.example/team/run.git"


def test_a_secret_in_the_name_of_a_file_is_masked(tmp_path: Path) -> None:
    root = write_project(tmp_path)
    text, secret = KINDS["github classic"]
    (root / f"notes-{text}.md").write_text("x")
    run = record(root, NOW, {})
    assert not isinstance(run.git, Unknown)
    assert [change.path for change in run.git.changes] == ["notes-***.md"]
    assert secret not in (root / "run_info/run_info.txt").read_text()
