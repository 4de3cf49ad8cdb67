from dataclasses import replace
from typing import Any

import pytest

from reproof.ground.unknown import Unknown
from reproof.verdict.check import judge
from reproof.verdict.differences import environment_differences, input_differences
from tests.verdict.sides import baseline, card, facts, per_task

CARD = card()


def inputs(**parts: Any) -> Any:
    known = facts().inputs
    assert isinstance(known, dict)
    return facts(inputs=known | parts, inputs_id="other")


@pytest.mark.parametrize(
    ("run", "lines"),
    [
        (facts(), ()),
        (inputs(code={"a.py": "9"}), ("code: a.py has changed",)),
        (inputs(code={"b.py": "2"}), ("code: a.py is gone", "code: b.py is new")),
        (inputs(given={"models/init": "9"}), ("given: models/init has changed",)),
        (
            inputs(params={"train": {"params.yaml": {"train": {"beta": 0.2}}}}),
            ("params: train params.yaml train beta is 0.2, was 0.1",),
        ),
        (inputs(commands={"train": "x"}), ("commands: train is x, was python train.py",)),
        (facts(horizon_epochs=1), ("schedule: made for 1 epochs, was 3",)),
        (facts(horizon_epochs=Unknown("no")), ()),
    ],
)
def test_every_kind_of_input_is_named(run: Any, lines: tuple[str, ...]) -> None:
    assert input_differences(per_task(CARD, run), per_task(CARD, facts())) == lines


def test_unknown_inputs_are_no_equal_inputs() -> None:
    ours = per_task(CARD, facts(inputs=Unknown("dvc.lock is gone")))
    said = input_differences(ours, per_task(CARD, facts()))
    assert said == Unknown("the run does not say what went in (dvc.lock is gone)")
    said = input_differences(per_task(CARD, facts()), per_task(CARD))
    assert said == Unknown("the baseline does not say what went in (not given)")


def test_another_schedule_is_named_even_if_nothing_else_is_known() -> None:
    theirs = per_task(CARD, facts(inputs=Unknown("by hand"), horizon_epochs=1))
    said = input_differences(per_task(CARD, facts()), theirs)
    assert isinstance(said, tuple)
    assert said[0] == "schedule: made for 3 epochs, was 1"


@pytest.mark.parametrize(
    ("part", "value", "line"),
    [
        ("python", "cpython 3.12.1", "python: is cpython 3.12.1, was cpython 3.11.7"),
        ("cpu_flags", ["avx2"], "cpu_flags: fma is gone"),
        ("cpu_flags", ["fma", "avx2"], None),
        ("cpu_flags", ["avx2", "avx512f", "fma"], "cpu_flags: avx512f is new"),
        ("lock", "9", "lock: has changed"),
        ("threads", {"OMP_NUM_THREADS": None}, "threads: OMP_NUM_THREADS is new"),
    ],
)
def test_every_environment_fact_is_named(part: str, value: Any, line: str | None) -> None:
    known = facts().environment
    assert isinstance(known, dict)
    ours = per_task(CARD, facts(environment=known | {part: value}))
    wanted = () if line is None else (line,)
    assert environment_differences(ours, per_task(CARD, facts())) == wanted


def test_different_inputs_come_before_any_number() -> None:
    ours = per_task(CARD, inputs(code={"a.py": "9"}))
    verdict = judge(ours, baseline(per_task(CARD, facts())))
    assert verdict.sentence.startswith("Inputs differ (code). ")
    assert verdict.outcome == "reproduced"


def test_a_change_in_the_order_of_keys_is_none() -> None:
    run = facts()
    assert isinstance(run.inputs, dict)
    turned = replace(run, inputs=dict(reversed(run.inputs.items())))
    assert input_differences(per_task(CARD, turned), per_task(CARD, run)) == ()
