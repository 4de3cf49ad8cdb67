import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reproof.ground.errors import InputError
from reproof.ground.hashes import Hashes
from reproof.record.agreement import Guards, agreement
from reproof.record.artifact import RecordedArtifact
from reproof.record.guard import GuardReport, keep, keep_off, key_of, reports_of, was_off
from reproof.record.pipeline import Pipeline, RecordedStage


def md5(content: str) -> str:
    return hashlib.md5(content.encode()).hexdigest()


def hashes(content: str) -> Hashes:
    return Hashes(hashlib.sha256(content.encode()).hexdigest(), md5(content), len(content))


def artifacts(files: dict[str, str]) -> tuple[RecordedArtifact, ...]:
    return tuple(
        RecordedArtifact(path, md5(content), None, None, "same", hashes(content).sha256)
        for path, content in files.items()
    )


def stage(name: str, deps: dict[str, str], outs: dict[str, str], **params: Any) -> RecordedStage:
    return RecordedStage(
        name, f"run {name}", False, artifacts(deps), {"params.yaml": params}, artifacts(outs)
    )


def report(name: str, deps: dict[str, str], outs: dict[str, str], **params: Any) -> GuardReport:
    return GuardReport(
        stage=name,
        cmd=f"run {name}",
        verdict="passed",
        deps={path: hashes(content) for path, content in deps.items()},
        params={"params.yaml": params},
        outs={path: hashes(content) for path, content in outs.items()},
        files_in={path: hashes(content).sha256 for path, content in deps.items()},
        files_out={path: hashes(content).sha256 for path, content in outs.items()},
        reads=(),
        undeclared=(),
        changed=(),
        programs=(),
        stage_seconds=1.0,
        guard_seconds=0.0,
    )


MAKE = ("make", {"code.py": "v1", "raw": "r"}, {"model": "m"})
USE = ("use", {"use.py": "u", "model": "m"}, {"result": "e"})


def judged(
    stages: list[RecordedStage], reports: list[GuardReport], off: set[str] | None = None
) -> Guards:
    names = {report.stage for report in reports}
    by_name = {name: [r for r in reports if r.stage == name] for name in names}
    return agreement(Pipeline(tuple(stages), ()), by_name, frozenset(off or ()))


def test_a_run_that_guards_saw_agrees_and_nothing_breaks() -> None:
    guards = judged([stage(*MAKE), stage(*USE)], [report(*MAKE), report(*USE)])
    assert [guards.stages[name].state for name in ("make", "use")] == ["agrees", "agrees"]
    assert guards.breaks == ()


def test_a_lock_that_binds_new_code_to_an_old_output_differs() -> None:
    """dvc#11058 in a lock that came to be without a guard, or was edited."""
    edited = stage("make", {"code.py": "v2", "raw": "r"}, {"model": "m"})
    fact = judged([edited], [report(*MAKE)]).stages["make"]
    assert fact.state == "differs"
    assert fact.notes == (f"dep code.py: md5 in dvc.lock {md5('v2')}, a guard saw {md5('v1')}",)


def test_a_lock_with_another_output_than_a_guard_saw_differs() -> None:
    swapped = stage("make", MAKE[1], {"model": "swapped"})
    fact = judged([swapped], [report(*MAKE)]).stages["make"]
    assert fact.state == "differs"
    assert "out model" in fact.notes[0]


def test_edited_params_and_commands_differ() -> None:
    locked = replace(stage(*MAKE, beta=0.2), cmd="run other")
    fact = judged([locked], [report(*MAKE, beta=0.1)]).stages["make"]
    assert fact.state == "differs"
    assert len(fact.notes) == 2


def test_a_run_of_elsewhere_is_unseen_and_no_accusation() -> None:
    fact = judged([stage("make", {"code.py": "v9"}, {"model": "x"})], [report(*MAKE)]).stages[
        "make"
    ]
    assert fact.state == "unseen"


def test_an_unguarded_run_says_so() -> None:
    assert judged([stage(*MAKE)], [], {"make"}).stages["make"].state == "off"


def test_the_report_of_these_inputs_is_found_among_others() -> None:
    other = report("make", {"code.py": "v0", "raw": "r"}, {"model": "old"})
    fact = judged([stage(*MAKE)], [other, report(*MAKE)]).stages["make"]
    assert fact.state == "agrees"


def test_a_number_reads_the_same_however_it_was_written() -> None:
    """DVC writes 2e-05, which PyYAML reads as a text."""
    locked = stage(*MAKE, rate="2e-05", steps=[1, "1e3"])
    assert judged([locked], [report(*MAKE, rate=2e-5, steps=[1, 1000.0])]).stages["make"].state == (
        "agrees"
    )


def test_an_input_that_is_not_what_the_stage_before_made_is_a_break() -> None:
    use = ("use", {"use.py": "u", "model": "swapped"}, {"result": "e"})
    guards = judged([stage(*MAKE), stage(*use)], [report(*MAKE), report(*use)])
    assert [line.partition(":")[0] for line in guards.breaks] == ["model", "model"]
    assert "use got" in guards.breaks[0]
    # in dvc.lock alone, without any report
    assert len(judged([stage(*MAKE), stage(*use)], []).breaks) == 1


def test_a_file_inside_a_folder_that_was_swapped_between_two_stages_is_a_break() -> None:
    make = replace(report(*MAKE), files_out={"model/a": "1" * 64})
    use = replace(report(*USE), files_in={"model/a": "2" * 64})
    assert judged([stage(*MAKE), stage(*USE)], [make, use]).breaks == (
        "model/a: use got 222222222222, make had made 111111111111",
    )


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Path]:
    keep(tmp_path, report(*MAKE, beta=0.1))
    yield tmp_path


def test_a_report_survives_the_disk(kept: Path) -> None:
    assert reports_of(kept, "make") == (report(*MAKE, beta=0.1),)
    assert reports_of(kept, "other") == ()


def test_equal_inputs_replace_a_report_and_others_stand_beside_it(kept: Path) -> None:
    keep(kept, report("make", MAKE[1], {"model": "again"}, beta=0.1))
    keep(kept, report(*MAKE, beta=0.2))
    assert len(reports_of(kept, "make")) == 2


def test_a_guarded_run_takes_the_mark_of_an_unguarded_one_away(kept: Path) -> None:
    keep_off(kept, "make")
    assert was_off(kept, "make")
    assert len(reports_of(kept, "make")) == 1
    keep(kept, report(*MAKE))
    assert not was_off(kept, "make")


def test_a_broken_report_is_named(kept: Path) -> None:
    path = kept / f".dvc/tmp/reproof/guards/make/{key_of('c', {}, {})}.json"
    path.write_text("{}")
    with pytest.raises(InputError, match="is no guard report"):
        reports_of(kept, "make")
