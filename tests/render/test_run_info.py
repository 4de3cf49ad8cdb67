import json
from pathlib import Path

from hypothesis import given, settings

from reproof.record.record import RunRecord, read_record
from reproof.render.run_info import run_info_text
from tests.record.strategies import records

GOLDEN = Path(__file__).parents[1] / "record" / "golden"


def test_the_golden_record_reads_as_it_always_did() -> None:
    assert (
        run_info_text(read_record(GOLDEN / "run_info.v1.json"))
        == (GOLDEN / "run_info.txt").read_text()
    )


def test_every_digest_and_reason_of_the_record_is_in_the_text() -> None:
    text = (GOLDEN / "run_info.txt").read_text()
    value = json.loads((GOLDEN / "run_info.v1.json").read_text())
    digests = set(leaves(value, "sha256")) | set(leaves(value, "root")) | {*value["ids"].values()}
    assert digests
    assert {digest for digest in digests if digest not in text} == set()
    assert {why for why in leaves(value, "unknown") if why not in text} == set()


@given(records)
@settings(max_examples=15)
def test_every_record_can_be_told(record: RunRecord) -> None:
    assert run_info_text(record).endswith("\n")


def leaves(value: object, name: str) -> list[str]:
    """Every text under a key of this name."""
    if isinstance(value, dict):
        own = [item for key, item in value.items() if key == name and isinstance(item, str)]
        return own + [leaf for item in value.values() for leaf in leaves(item, name)]
    return (
        [leaf for item in value for leaf in leaves(item, name)] if isinstance(value, list) else []
    )
