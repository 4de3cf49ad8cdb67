"""Hold dvc.lock against what guards saw on this machine, and each stage against the one before.

dvc.lock is what DVC wrote when stages had ended, or what somebody wrote into it since. A report
is what a guard saw while the stage ran. Where both speak of one run they must say the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reproof.record.artifact import RecordedArtifact
from reproof.record.guard import GuardReport, key_of, same_numbers
from reproof.record.pipeline import Pipeline, RecordedStage

State = Literal["agrees", "differs", "unseen", "off"]


@dataclass(frozen=True, slots=True)
class GuardedStage:
    """What is known about the run that dvc.lock tells of.

    - agrees: a guard saw it, with the same inputs and the same outs.
    - differs: a guard saw a run with the same inputs and other outs, or one that made the same
      outs of other inputs. `notes` name each path.
    - unseen: no guard saw it here; it came out of DVC's cache, or was made elsewhere.
    - off: it was run with REPROOF_GUARD=off.

    `undeclared` are files that it read all the same, under REPROOF_GUARD=warn; `programs` those
    that it started and nobody could watch.
    """

    state: State
    notes: tuple[str, ...]
    undeclared: tuple[str, ...]
    programs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Guards:
    """One fact a stage that makes something, and `breaks`: where a stage did not get what the
    one before had made.
    """

    stages: Mapping[str, GuardedStage]
    breaks: tuple[str, ...]


Reports = Mapping[str, Sequence[GuardReport]]


def agreement(pipeline: Pipeline, reports: Reports, off: frozenset[str]) -> Guards:
    """Judge every stage of dvc.lock by the reports of its runs; `off` are stages run unguarded."""
    makers = pipeline.makers()
    known = {stage.name: tuple(reports.get(stage.name, ())) for stage in makers}
    stages = {stage.name: _stage(stage, known[stage.name], stage.name in off) for stage in makers}
    breaks = [*_breaks_in_lock(pipeline), *_breaks_between_runs(makers, known)]
    return Guards(stages, tuple(dict.fromkeys(breaks)))


def _stage(stage: RecordedStage, reports: Sequence[GuardReport], is_off: bool) -> GuardedStage:
    if report := _same_inputs(stage, reports):
        notes = tuple(_differences("out", _md5s(stage.outs), _outs(report)))
        state: State = "differs" if notes else "off" if is_off else "agrees"
        return GuardedStage(state, notes, report.undeclared, report.programs)
    if is_off:
        why = "its last run on this machine was not guarded (REPROOF_GUARD=off)"
        return GuardedStage("off", (why,), (), ())
    for report in reports:
        if _outs(report) == _md5s(stage.outs):
            return GuardedStage(
                "differs", tuple(_other_inputs(stage, report)), report.undeclared, report.programs
            )
    why = "no guard on this machine saw this run: it came from DVC's cache or was made elsewhere"
    return GuardedStage("unseen", (why,), (), ())


def _same_inputs(stage: RecordedStage, reports: Sequence[GuardReport]) -> GuardReport | None:
    key = key_of(stage.cmd, _md5s(stage.deps), stage.params)
    return next((report for report in reports if report.key == key), None)


def _other_inputs(stage: RecordedStage, report: GuardReport) -> Iterator[str]:
    """How the inputs in dvc.lock differ from those of which a guard saw the same outs made."""
    seen = {path: hashes.md5 for path, hashes in report.deps.items()}
    yield from _differences("dep", _md5s(stage.deps), seen)
    if stage.cmd != report.cmd:
        yield f"the command in dvc.lock is {stage.cmd!r}, a guard saw {report.cmd!r}"
    if same_numbers(stage.params) != same_numbers(report.params):
        yield "the params in dvc.lock are not those that a guard saw"


def _differences(kind: str, locked: Mapping[str, str], seen: Mapping[str, str]) -> Iterator[str]:
    for path in sorted({*locked, *seen}):
        left, right = locked.get(path, "nothing"), seen.get(path, "nothing")
        if left != right:
            yield f"{kind} {path}: md5 in dvc.lock {left}, a guard saw {right}"


def _breaks_in_lock(pipeline: Pipeline) -> Iterator[str]:
    """A path that is an out of one stage and a dep of another, and not the same in both."""
    made = {out.path: (stage, out.md5) for stage in pipeline.stages for out in stage.outs}
    for stage in pipeline.stages:
        for dep in stage.deps:
            maker, md5 = made.get(dep.path, (stage, dep.md5))
            if md5 != dep.md5:
                yield _break(dep.path, stage.name, dep.md5, maker.name, md5)


def _breaks_between_runs(
    makers: Sequence[RecordedStage], reports: Mapping[str, Sequence[GuardReport]]
) -> Iterator[str]:
    """A file that a stage got which is not what the guard of the stage before saw it leave."""
    runs = [(stage, _same_inputs(stage, reports[stage.name])) for stage in makers]
    left = {
        file: (stage.name, digest)
        for stage, report in runs
        if report
        for file, digest in report.files_out.items()
    }
    for stage, report in runs:
        for file, digest in (report.files_in if report else {}).items():
            maker, made = left.get(file, ("", digest))
            if made != digest:
                yield _break(file, stage.name, digest, maker, made)


def _break(path: str, reader: str, got: str, maker: str, made: str) -> str:
    return f"{path}: {reader} got {got[:12]}, {maker} had made {made[:12]}"


def _md5s(artifacts: Sequence[RecordedArtifact]) -> dict[str, str]:
    return {artifact.path: artifact.md5 for artifact in artifacts}


def _outs(report: GuardReport) -> dict[str, str]:
    return {path: hashes.md5 for path, hashes in report.outs.items()}
