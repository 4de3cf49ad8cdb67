"""Results to compare, after the table of the statistical specification."""

from typing import Any

from reproof.ground.canon import sha256_of
from reproof.ground.unknown import Unknown
from reproof.scores.episode import SUCCESS_AT
from reproof.verdict.baseline import Baseline, Control
from reproof.verdict.side import RunFacts, Side, TaskReturn
from tests.record.project import protocol

N = 256
NONE = Unknown("not given")


def published(mean: float, success: int, partial: int | Unknown = NONE, **changes: Any) -> Side:
    """Totals of 256 tasks, as the card gives them."""
    n = changes.pop("n", N)
    return Side(
        model="epoch-1",
        protocol=protocol(n, **changes),
        n=n,
        mean_return=mean,
        success=success,
        partial=partial,
        tasks=Unknown("not published"),
        run=NONE,
    )


def per_task(
    returns: list[float],
    run: RunFacts | Unknown = NONE,
    groups: list[str] | None = None,
    names: list[str] | None = None,
    **changes: Any,
) -> Side:
    """One task a return, each a goal of its own unless groups are given."""
    names = names or [f"t{row:03}" for row in range(len(returns))]
    goals: list[str | None] = [*groups] if groups else [None] * len(returns)
    rows = zip(names, returns, goals, strict=True)
    tasks = tuple(TaskReturn(name, 0, value, goal) for name, value, goal in rows)
    return Side(
        model="epoch-1",
        protocol=protocol(len(returns), **changes),
        n=len(returns),
        mean_return=sum(returns) / len(returns) if returns else 0.0,
        success=sum(value >= SUCCESS_AT for value in returns),
        partial=sum(0 < value < SUCCESS_AT for value in returns),
        tasks=tasks,
        run=run,
    )


def card(success: int = 72, partial: int = 59, credit: float = 0.41) -> list[float]:
    """Returns that look like those of the card."""
    zeros = N - success - partial
    return [1.0] * success + [credit] * partial + [0.0] * zeros


def baseline(side: Side, control: Control | Unknown = NONE, **changes: Any) -> Baseline:
    """A side as something to be held against."""
    known: dict[str, Any] = {"about": "a test", "source": "here", "noise": NONE}
    return Baseline(name="b", side=side, negative_control=control, **(known | changes))


def facts(**changes: Any) -> RunFacts:
    """A run that knows everything about itself."""
    inputs: dict[str, Any] = {
        "given": {"models/init": "1"},
        "code": {"a.py": "2"},
        "params": {"train": {"params.yaml": {"train": {"beta": 0.1}}}},
        "commands": {"train": "python train.py"},
    }
    environment = {"python": "cpython 3.11.7", "cpu_flags": ["avx2", "fma"], "lock": "3"}
    known: dict[str, Any] = {
        "inputs_id": "i",
        "environment_id": "e",
        "outputs_id": "o",
        "inputs": inputs,
        "environment": environment,
        "horizon_epochs": 3,
    }
    return RunFacts(**(known | changes))


def vouched() -> RunFacts:
    """The same run, its ids the digests of its facts: as a baseline's file must have them."""
    run = facts()
    ids = {"inputs_id": sha256_of(run.inputs), "environment_id": sha256_of(run.environment)}
    return facts(**ids)
