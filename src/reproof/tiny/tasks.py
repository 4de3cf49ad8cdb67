"""Tasks of the simulated phone, in splits that are disjoint in whole goals.

A combination of a clause's first two slots (person × word, hour × minute,
colour × quantity …) belongs to one split only; every single word occurs in
training. So a test goal was never trained on, though its words were.
"""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from reproof.ground.canon import sha256_of
from reproof.tiny.clauses import KINDS, Clause
from reproof.tiny.scene import draw_scene

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Template:
    """A form of goal: its clauses' kinds, its level, and how many steps it may take."""

    kinds: tuple[str, ...]
    level: int
    max_steps: int

    @property
    def name(self) -> str:
        """The template's name in task ids."""
        return "+".join(self.kinds)


TEMPLATES: tuple[Template, ...] = (
    Template(("toggle",), 1, 8),
    Template(("event",), 1, 8),
    Template(("toggle", "toggle"), 2, 10),
    Template(("alarm",), 2, 10),
    Template(("message",), 2, 10),
    Template(("cart",), 3, 12),
    Template(("play",), 3, 12),
    Template(("sky",), 3, 12),
    Template(("colour",), 3, 12),
    Template(("send_sky",), 4, 16),
    Template(("send_colour",), 4, 16),
    Template(("alarm", "message"), 4, 16),
    Template(("event", "toggle"), 4, 16),
)


@dataclass(frozen=True)
class Task:
    """One goal on one phone; `seed` sets everything on it that varies."""

    task_id: str
    template: str
    level: int
    max_steps: int
    clauses: tuple[Clause, ...]
    seed: int

    @property
    def goal(self) -> str:
        """The goal in English."""
        return " and then ".join(clause.text() for clause in self.clauses)

    def episode_id(self) -> str:
        """Digest of the goal and the first state: equal only for the same episode."""
        return sha256_of({"goal": self.goal, "scene": draw_scene(self.clauses, self.seed)})


def split_of(clause: Clause) -> str:
    """The split that a clause's combination belongs to (3 : 1 : 1).

    A Latin rule on the places of the words, so that no word is missing from
    training.
    """
    vocabulary = KINDS[clause.kind].vocabulary
    first, second = (vocabulary[slot].index(clause.slots[slot]) for slot in (0, 1))
    return {0: "test", 1: "dev"}.get((first + 2 * second) % 5, "train")


@cache
def clauses_of(kind: str, split: str) -> tuple[Clause, ...]:
    """All clauses of a kind in a split, in the order of the vocabulary."""
    filled = (Clause(kind, slots) for slots in itertools.product(*KINDS[kind].vocabulary))
    return tuple(
        clause
        for clause in filled
        if split_of(clause) == split and len(set(clause.slots)) == len(clause.slots)
    )


def draw_task(split: str, template: Template, task_id: str, rng: random.Random) -> Task:
    """One task of a template, its clauses and its phone drawn from `rng`."""
    while True:
        clauses = tuple(rng.choice(clauses_of(kind, split)) for kind in template.kinds)
        if len({clause.slots[0] for clause in clauses}) == len(clauses):
            break
    seed = rng.randrange(2**31)
    return Task(task_id, template.name, template.level, template.max_steps, clauses, seed)


def draw_tasks(split: str, seed: int) -> Iterator[Task]:
    """An endless stream of distinct episodes of a split, templates in turn."""
    rng = random.Random(f"{split}/{seed}")
    seen: set[str] = set()
    for template in itertools.cycle(TEMPLATES):
        task = draw_task(split, template, f"{split}-{len(seen):05d}-{template.name}", rng)
        if task.episode_id() not in seen:
            seen.add(task.episode_id())
            yield task


def make_tasks(split: str, count: int, seed: int) -> list[Task]:
    """The first `count` tasks of a split."""
    return list(itertools.islice(draw_tasks(split, seed), count))


def task_set_digest(tasks: list[Task]) -> str:
    """Digest of the tasks in order: what a protocol pins."""
    return sha256_of([[task.task_id, task.episode_id()] for task in tasks])
