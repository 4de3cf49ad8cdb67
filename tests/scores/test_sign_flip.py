"""The paired sign-flip test: laws first, then other people's numbers."""

import math
import time
import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.errors import InputError
from reproof.scores.stats import mcnemar, mean_interval, paired_interval, sign_flip

CREDITS = st.sampled_from([0.0, 0.125, 0.25, 0.5, 1.0])
DIFFERENCES = st.lists(st.builds(lambda a, b: a - b, CREDITS, CREDITS), min_size=1, max_size=40)


def flip_p(values: Sequence[float], clusters: Sequence[str] | None = None) -> float:
    """The p-value with few draws and a fixed seed."""
    return sign_flip(values, 199, np.random.default_rng(0), clusters).p


def lost(k: int, n: int = 256) -> list[float]:
    """k successes lost among n tasks."""
    return [-1.0] * k + [0.0] * (n - k)


@given(values=DIFFERENCES)
def test_swapping_sides_keeps_p_and_mirrors_the_interval(values: list[float]) -> None:
    swapped = [-value for value in values]
    low, high = paired_interval(values)

    assert flip_p(swapped) == flip_p(values)
    assert paired_interval(swapped) == pytest.approx((-high, -low))


@given(values=DIFFERENCES, data=st.data())
def test_the_order_of_tasks_does_not_matter(values: list[float], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(values))))
    goals = [str(i // 3) for i in range(len(values))]
    shuffled, moved = [values[i] for i in order], [goals[i] for i in order]

    assert flip_p(shuffled) == flip_p(values)
    assert flip_p(shuffled, moved) == flip_p(values, goals)
    assert paired_interval(shuffled) == paired_interval(values)
    assert paired_interval(shuffled, 0.95, moved) == pytest.approx(
        paired_interval(values, 0.95, goals)
    )


@given(values=DIFFERENCES, extra=st.integers(0, 50))
def test_tasks_without_a_difference_change_no_p(values: list[float], extra: int) -> None:
    assert flip_p([*values, *[0.0] * extra]) == flip_p(values)


@given(values=DIFFERENCES)
def test_a_cluster_a_task_is_no_clustering(values: list[float]) -> None:
    assert flip_p(values, [str(i) for i in range(len(values))]) == flip_p(values)


@given(values=st.lists(CREDITS, min_size=1, max_size=8), copies=st.integers(2, 4))
def test_copies_inside_a_cluster_are_no_new_evidence(values: list[float], copies: int) -> None:
    goals = [str(i) for i in range(len(values))] * copies

    assert flip_p(values * copies, goals) == flip_p(values)


@given(values=st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=9))
def test_the_exact_test_agrees_with_scipy(values: list[float]) -> None:
    from scipy.stats import permutation_test

    sides = (np.array(values), np.zeros(len(values)))
    theirs = permutation_test(
        sides,
        lambda x, y, axis: (x - y).mean(axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )

    assert flip_p(values) == pytest.approx(float(theirs.pvalue))


def test_the_drawn_test_agrees_with_the_exact_one() -> None:
    values = [0.3, -0.1, 0.5, 0.2, -0.4, 0.6, 0.25, 0.1, -0.2, 0.35, 0.45, -0.05, 0.15, 0.55, -0.3]
    seventeen = [*values, 0.07, 0.03]

    drawn = sign_flip(seventeen, 50_000, np.random.default_rng(3))
    patterns = 1 - 2 * (np.arange(2**17)[:, None] >> np.arange(17) & 1)
    totals = np.abs(patterns @ np.array(seventeen))
    exact = float((totals >= abs(sum(seventeen)) - 1e-9).mean())

    assert drawn.draws == 50_000
    assert drawn.p == pytest.approx(exact, abs=3 * math.sqrt(exact / 50_000))


@pytest.mark.parametrize(
    ("k", "p"), [(1, 1), (2, 0.5), (3, 0.25), (4, 0.125), (5, 0.0625), (6, 0.03125), (8, 0.0078125)]
)
def test_lost_successes_have_the_p_of_so_many_coin_throws(k: int, p: float) -> None:
    flip = sign_flip(lost(k), 9_999, np.random.default_rng(0))

    assert (flip.p, flip.draws, flip.differing, flip.units) == (p, None, k, 256)
    assert mcnemar(k, 0).exact == p


def test_ten_lost_and_ten_gained_is_no_difference() -> None:
    values = [*lost(10, 128), *(-value for value in lost(10, 128))]
    low, high = paired_interval(values, 0.9)

    assert flip_p(values) == 1
    assert (low, high) == pytest.approx((-0.0292, 0.0292), abs=5e-5)


def test_everything_lost_gives_the_least_p_that_the_draws_allow() -> None:
    flip = sign_flip(lost(256), 9_999, np.random.default_rng(0))

    assert flip.p == flip.least_p == 1 / 10_000
    assert mcnemar(256, 0).exact == pytest.approx(1.73e-77, rel=0.01)


def test_a_tiny_shift_of_every_partial_is_seen() -> None:
    values = [-0.01] * 59 + [0.0] * 197
    low, high = paired_interval(values, 0.9)

    assert sign_flip(values, 9_999, np.random.default_rng(0)).p == 0.0001
    assert (low, high) == pytest.approx((-0.0087, 0.0041), abs=5e-5)


@pytest.mark.parametrize(("goals", "least"), [(4, 0.125), (5, 0.0625), (6, 0.03125)])
def test_with_few_goals_no_data_can_give_a_small_p(goals: int, least: float) -> None:
    names = [str(i % goals) for i in range(60)]

    flip = sign_flip([-1.0] * 60, 9_999, np.random.default_rng(0), names)

    assert flip.p == flip.least_p == least


def test_rounding_does_not_break_ties() -> None:
    assert flip_p([0.1, 0.2, -0.3]) == 1
    assert flip_p([0.1 + 0.2, -0.3]) == 1


def test_the_draws_are_those_of_the_generator() -> None:
    values = np.linspace(-0.4, 0.6, 40)

    first, same, other = (
        sign_flip(values, 999, np.random.default_rng(seed)).p for seed in (1, 1, 2)
    )

    assert first == same != other


def test_blocks_of_draws_add_up() -> None:
    """So many units that the draws do not fit one block."""
    flip = sign_flip(np.ones(3_000_000) / 3, 5, np.random.default_rng(0))

    assert flip.p == 1 / 6


@pytest.mark.slow
def test_ten_thousand_tasks_and_draws_stay_small_and_quick() -> None:
    values = np.random.default_rng(0).normal(size=10_000) / 10
    tracemalloc.start()
    begin = time.perf_counter()

    sign_flip(values, 10_000, np.random.default_rng(0))

    assert time.perf_counter() - begin < 20
    assert tracemalloc.get_traced_memory()[1] < 200e6
    tracemalloc.stop()


@pytest.mark.parametrize("bad", [[math.nan, 0.1], [math.inf], []])
def test_what_is_no_number_never_becomes_a_p(bad: list[float]) -> None:
    with pytest.raises(InputError):
        flip_p(bad)
    with pytest.raises(InputError):
        paired_interval(bad)
    with pytest.raises(InputError):
        mean_interval(bad)


def test_clusters_and_values_must_match() -> None:
    with pytest.raises(InputError, match="differ in number"):
        flip_p([0.1, 0.2], ["a"])
