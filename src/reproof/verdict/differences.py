"""Name what differs between the facts of two runs, one line a fact."""

from collections.abc import Iterator, Mapping
from typing import Any

from reproof.ground.unknown import Unknown
from reproof.verdict.side import RunFacts, Side

_DIGESTS = ("given", "code")
_ABSENT = object()


def input_differences(ours: Side, theirs: Side) -> tuple[str, ...] | Unknown:
    """What else went in: ("params: train-epoch@1 train.beta is 0.2, was 0.1", ...)."""
    mine, other = ours.run, theirs.run
    if isinstance(other, Unknown):
        return Unknown(f"the baseline does not say what went in ({other.why})")
    if isinstance(mine, Unknown):
        return Unknown(f"the run does not say what went in ({mine.why})")
    horizon = tuple(_horizon(mine, other))
    for run, who in ((mine, "run"), (other, "baseline")):
        if isinstance(run.inputs, Unknown):
            why = f"the {who} does not say what went in ({run.inputs.why})"
            return (*horizon, f"others: {why}") if horizon else Unknown(why)
    return (*horizon, *_named(mine.inputs, other.inputs))


def environment_differences(ours: Side, theirs: Side) -> tuple[str, ...] | Unknown:
    """What else surrounded the run: ("python: is cpython 3.12.1, was cpython 3.11.7", ...)."""
    if isinstance(ours.run, Unknown):
        return ours.run
    if isinstance(theirs.run, Unknown):
        return theirs.run
    mine, other = ours.run.environment, theirs.run.environment
    for facts in (mine, other):
        if isinstance(facts, Unknown):
            return facts
    return tuple(_named(mine, other))


def _horizon(mine: RunFacts, other: RunFacts) -> Iterator[str]:
    """The same epoch under a schedule of another length is another training."""
    now, was = mine.horizon_epochs, other.horizon_epochs
    known = not isinstance(now, Unknown) and not isinstance(was, Unknown)
    if known and now != was:
        yield f"schedule: made for {now} epochs, was {was}"


def _named(mine: Mapping[str, Any] | Unknown, other: Mapping[str, Any] | Unknown) -> Iterator[str]:
    if isinstance(mine, Unknown) or isinstance(other, Unknown):
        return
    for part in sorted({*mine, *other}):
        flat, was = _flat(mine.get(part, {})), _flat(other.get(part, {}))
        for path in sorted({*flat, *was}):
            line = _line(part, flat.get(path, _ABSENT), was.get(path, _ABSENT))
            if line:
                name = " ".join(path)
                yield f"{part}: {name} {line}" if name else f"{part}: {line}"


def _line(part: str, now: object, was: object) -> str:
    """What happened to one fact; empty if nothing did. Digests say nothing to a reader."""
    if now == was and type(now) is type(was):
        return ""
    if now is _ABSENT:
        return "is gone"
    if was is _ABSENT:
        return "is new"
    if part in _DIGESTS or part == "lock":
        return "has changed"
    return f"is {_shown(now)}, was {_shown(was)}"


def _flat(value: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Leaves by path; a list of plain values is a leaf for each of them, order aside."""
    if isinstance(value, Mapping):
        return {k: v for key, item in value.items() for k, v in _flat(item, (*path, key)).items()}
    if isinstance(value, list) and path == () and all(isinstance(item, str) for item in value):
        return {(item,): True for item in value}
    return {path: value}


def _shown(value: object) -> str:
    return "not set" if value is None else str(value)
