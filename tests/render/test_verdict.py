"""The texts of verdicts.

`PYTHONPATH=src:. python -m tests.render.test_verdict` writes them again.
"""

import json
from pathlib import Path

import pytest

from reproof.ground.files import write_whole
from reproof.ground.unknown import Unknown
from reproof.render.verdict import verdict_text
from reproof.verdict.baseline import Control
from reproof.verdict.check import judge
from reproof.verdict.verdict import Verdict
from tests.verdict.sides import baseline, card, facts, per_task, published

GOLDEN = Path(__file__).with_name("golden")


def verdicts() -> dict[str, Verdict]:
    """One of each outcome."""
    known = facts().inputs
    assert isinstance(known, dict)
    edited = facts(inputs=known | {"code": {"a.py": "9"}}, inputs_id="j", outputs_id="p")
    ours = baseline(per_task(card(), facts()), Control("init", 0.3, 60))
    gone = [0.0] * 10 + card()[10:]
    table = baseline(published(0.3793, 72), Control("SFT init", 0.3656, 67))
    return {
        "identical": judge(per_task(card(), facts()), ours),
        "reproduced": judge(per_task(card(), facts(outputs_id="p")), ours),
        "consistent": judge(published(0.3758, 72), table),
        "inconclusive": judge(per_task([0.0] * 3 + card()[3:], edited), ours),
        "drifted": judge(per_task(gone, edited), ours),
        "invalid": judge(published(0.2, 72), table),
        "not_comparable": judge(published(0.38, 72, env_id="tiny", split="dev"), table),
    }


@pytest.mark.parametrize("name", sorted(verdicts()))
def test_every_verdict_reads_as_it_always_did(name: str) -> None:
    verdict = verdicts()[name]
    assert verdict.outcome == name
    assert verdict_text(verdict) == (GOLDEN / f"verdict_{name}.txt").read_text()


@pytest.mark.parametrize("name", sorted(verdicts()))
def test_the_json_of_a_verdict_holds_what_the_text_says(name: str) -> None:
    verdict = verdicts()[name]
    value = json.loads(json.dumps(verdict.to_json(), allow_nan=False))
    assert value["outcome"] == name
    assert value["sentence"] in verdict_text(verdict)
    assert value["exit_code"] == verdict.exit_code()
    if verdict.numbers is not None and isinstance(verdict.numbers.flips, Unknown):
        assert value["numbers"]["flips"] == {"unknown": verdict.numbers.flips.why}


if __name__ == "__main__":
    for name, verdict in verdicts().items():
        write_whole(GOLDEN / f"verdict_{name}.txt", verdict_text(verdict))
