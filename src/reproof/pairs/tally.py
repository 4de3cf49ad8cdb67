"""Running counts over rows that are not held: spreads of numbers, overlap of tasks."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Spread:
    """Least, greatest and mean of numbers that come one at a time."""

    count: int = 0
    total: float = 0.0
    least: float = float("inf")
    most: float = float("-inf")

    def add(self, value: float) -> None:
        """Take one more number in."""
        self.count += 1
        self.total += value
        self.least, self.most = min(self.least, value), max(self.most, value)

    def to_json(self) -> dict[str, Any]:
        """The three numbers, or why there are none."""
        if not self.count:
            return {"unknown": "no rows"}
        return {"min": self.least, "mean": self.total / self.count, "max": self.most}


def spread_of(values: Iterable[float]) -> Spread:
    """The spread of numbers that are all there."""
    spread = Spread()
    for value in values:
        spread.add(value)
    return spread


@dataclass(frozen=True, slots=True)
class EvalTasks:
    """Ids and whole goals of the evaluation tasks, which training must not meet."""

    task_ids: frozenset[str]
    goals: frozenset[str]


@dataclass(slots=True)
class Overlap:
    """Training tasks that are evaluation tasks too, by id and by goal.

    `eval_tasks` is None where nobody could say which tasks those are.
    """

    eval_tasks: EvalTasks | None
    task_ids: set[str] = field(default_factory=set)
    goals: set[str] = field(default_factory=set)
    without_goal: int = 0

    def add(self, task_id: str, goal: str | None) -> None:
        """Take one training row in."""
        if self.eval_tasks is None:
            return
        self.without_goal += goal is None
        if task_id in self.eval_tasks.task_ids:
            self.task_ids.add(task_id)
        if goal in self.eval_tasks.goals and goal is not None:
            self.goals.add(goal)

    def to_json(self) -> dict[str, Any]:
        """How many distinct ids and goals are met, or why nobody knows."""
        if self.eval_tasks is None:
            return {"unknown": "the evaluation tasks of this scale are not known here"}
        goals = {"unknown": f"{self.without_goal} rows have no goal in chosen_metadata"}
        return {
            "task_ids": len(self.task_ids),
            "goals": goals if self.without_goal else len(self.goals),
        }
