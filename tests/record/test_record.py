import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproof.flow.record import assemble
from reproof.ground.canon import sha256_of
from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.record.record import RunRecord, read_record
from tests.record.project import write_project
from tests.record.strategies import records

NOW = datetime(2026, 12, 1, 4, 30, tzinfo=UTC)
GOLDEN = Path(__file__).with_name("golden") / "run_info.v1.json"
SCHEMA = Path(__file__).parents[2] / "src/reproof/record/schema/run_info.v1.json"


VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def run(project: Path) -> RunRecord:
    return assemble(project, NOW, {}, Unknown("not logged"))


@given(records)
@settings(max_examples=30)
def test_a_record_survives_json_and_fits_the_shipped_schema(record: RunRecord) -> None:
    text = json.dumps(record.to_json(), allow_nan=False)
    assert RunRecord.from_json(json.loads(text)) == record
    VALIDATOR.validate(json.loads(text))


def test_the_shipped_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(VALIDATOR.schema)


def test_the_golden_record_of_schema_1_loads_for_ever() -> None:
    record = read_record(GOLDEN)
    assert record.created == "2026-12-01T04:30:00+00:00"
    assert record.to_json() == json.loads(GOLDEN.read_text())
    VALIDATOR.validate(json.loads(GOLDEN.read_text()))


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every object of a JSON value, by where it stands."""
    inner: list[tuple[Any, Any]] = list(value.items()) if isinstance(value, dict) else []
    if isinstance(value, list):
        inner = list(enumerate(value))
    below = [path for key, item in inner for path in paths(item, (*at, key))]
    return below + ([at] if isinstance(value, dict) and value else [])


# what these hold was written by others: any JSON will do
FREE = {"content", "params", "seeds", "sources", "installed", "mlflow", "weights", "results"}
NAMED = FREE | {"checkpoints", "signals", "threads", "switches"}


@given(st.data())
def test_a_record_with_a_fact_too_few_or_too_many_is_refused_by_both(data: st.DataObject) -> None:
    value = json.loads(GOLDEN.read_text())
    places = [path for path in paths(value) if not (path and path[-1] in NAMED)]
    place = data.draw(st.sampled_from([p for p in places if not set(p[:-1]) & FREE]))
    broken = copy.deepcopy(value)
    target = broken
    for key in place:
        target = target[key]
    if data.draw(st.booleans()):
        del target[data.draw(st.sampled_from(sorted(target)))]
    else:
        target["surplus"] = 1
    with pytest.raises(InputError):
        RunRecord.from_json(broken)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(broken)


def test_an_edited_fact_shows_in_the_ids() -> None:
    value = json.loads(GOLDEN.read_text())
    value["results"]["epoch-1"]["content"]["metrics"]["mean_return"] = 0.99
    with pytest.raises(InputError, match="somebody edited the file"):
        RunRecord.from_json(value)


@pytest.mark.parametrize("value", [[], {}, {"schema_version": "1"}, {"schema_version": True}, 3])
def test_what_is_no_record_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="is no run record"):
        RunRecord.from_json(value)


def test_a_record_of_a_later_schema_asks_for_a_newer_reproof() -> None:
    with pytest.raises(InputError, match="use a newer reproof"):
        RunRecord.from_json({"schema_version": 2})


def test_the_ids_are_digests_of_facts_that_can_be_looked_at(run: RunRecord) -> None:
    assert run.inputs_id == sha256_of(run.inputs_facts())
    assert run.environment_id == sha256_of(run.environment_facts())
    assert run.outputs_id == sha256_of(run.outputs_facts())


def test_inputs_are_given_data_code_params_and_commands(run: RunRecord) -> None:
    facts = run.inputs_facts()
    assert isinstance(facts, dict)
    assert set(facts["given"]) == {"data/raw/pairs-4b.parquet", "data/inputs.json", "models/init"}
    # neither the lock file, nor code that made the given things, nor the record's own
    assert set(facts["code"]) == {"code/dedup.py", "code/train.py", "code/evaluate.py"}
    assert facts["params"]["dedup"] == {"params.yaml": {"negatives": "4b"}}
    assert facts["commands"]["train-epoch@1"] == "python code/train.py 1"
    assert "inputs" not in facts["commands"]
    assert "record" not in facts["commands"]


def test_outputs_are_weights_pairs_episodes_and_metrics(run: RunRecord) -> None:
    facts = run.outputs_facts()
    assert isinstance(facts, dict)
    assert set(facts["weights"]) == {"models/epoch-1"}
    assert set(facts["pairs"]) == {"data/dedup/pairs.parquet", "data/dedup/report.json"}
    assert set(facts["episodes"]) == {"init", "epoch-1"}
    assert facts["metrics"]["epoch-1"]["success"] == 4


def test_no_path_of_this_machine_and_no_environment_variable_gets_in(project: Path) -> None:
    environ = {"HF_TOKEN": "hf_geheim", "OMP_NUM_THREADS": "ghp_geheim0123456789abcdefghij"}
    record = assemble(project, NOW, {**environ, "REPROOF_PINS": "off"}, Unknown("no"))
    text = json.dumps(record.to_json())
    assert "geheim" not in text
    assert str(project) not in text
