"""Tasks: splits share no goal, every word is trained on, episodes are distinct."""

import itertools

import pytest

from reproof.tiny.clauses import KINDS, Clause
from reproof.tiny.tasks import (
    SPLITS,
    TEMPLATES,
    Task,
    clauses_of,
    make_tasks,
    split_of,
    task_set_digest,
)

COUNT = 520


@pytest.fixture(scope="module")
def tasks() -> dict[str, list[Task]]:
    return {split: make_tasks(split, COUNT, 1) for split in SPLITS}


def combinations(tasks: list[Task]) -> set[tuple[str, ...]]:
    """Kind and first two slots: person × word, hour × minute, colour × quantity …"""
    return {(c.kind, *c.slots[:2]) for task in tasks for c in task.clauses}


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(SPLITS, 2)))
def test_no_combination_of_one_split_occurs_in_another(
    tasks: dict[str, list[Task]], one: str, other: str
) -> None:
    assert combinations(tasks[one]) & combinations(tasks[other]) == set()


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(SPLITS, 2)))
def test_no_goal_of_one_split_can_ever_occur_in_another(one: str, other: str) -> None:
    texts = [
        {clause.text() for kind in KINDS for clause in clauses_of(kind, split)}
        for split in (one, other)
    ]
    assert texts[0] & texts[1] == set()


@pytest.mark.parametrize("kind", KINDS)
def test_every_word_occurs_in_training(kind: str) -> None:
    for slot, vocabulary in enumerate(KINDS[kind].vocabulary):
        trained = {clause.slots[slot] for clause in clauses_of(kind, "train")}
        assert trained == set(vocabulary)


def test_the_splits_together_are_all_clauses() -> None:
    for kind, rule in KINDS.items():
        filled = {Clause(kind, slots) for slots in itertools.product(*rule.vocabulary)}
        given = [clause for split in SPLITS for clause in clauses_of(kind, split)]
        assert len(given) == len(set(given))
        assert {c for c in filled if len(set(c.slots)) == len(c.slots)} == set(given)


def test_the_256_test_tasks_are_256_distinct_episodes() -> None:
    tasks = make_tasks("test", 256, 1)
    assert len({task.episode_id() for task in tasks}) == 256
    assert len({task.task_id for task in tasks}) == 256


def test_dev_has_at_least_512_distinct_episodes(tasks: dict[str, list[Task]]) -> None:
    assert len({task.episode_id() for task in tasks["dev"]}) == COUNT >= 512


def test_there_are_four_levels_with_rising_budgets() -> None:
    budgets = {level: {t.max_steps for t in TEMPLATES if t.level == level} for level in range(1, 5)}
    assert all(len(values) == 1 for values in budgets.values())
    assert sorted(budgets.values(), key=min) == [budgets[level] for level in range(1, 5)]


def test_a_clause_of_two_words_decides_the_split_whoever_receives_it() -> None:
    sent = [Clause("send_sky", ("oslo", "today", person)) for person in ("ana", "bob", "eve")]
    assert len({split_of(clause) for clause in sent}) == 1


def test_the_same_seed_gives_the_same_tasks_and_another_seed_others() -> None:
    first, again, other = (make_tasks("test", 30, seed) for seed in (1, 1, 2))
    assert first == again
    assert task_set_digest(first) != task_set_digest(other)


def test_the_test_set_is_the_one_that_was_published() -> None:
    """A changed generator would make every earlier result incomparable without a word."""
    digest = task_set_digest(make_tasks("test", 256, 1))
    assert digest == GOLDEN_TEST_SET


GOLDEN_TEST_SET = "2236fd363b66c620e8ae961b564664eeb294a6bc59f31f9aa158d8e9653635f8"
