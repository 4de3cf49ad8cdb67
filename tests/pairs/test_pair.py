"""A pairs file gives back what was written, in one form of bytes, and no broken row."""

import dataclasses
import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproof.ground.errors import InputError
from reproof.ground.files import sha256_file
from reproof.pairs.example import example_pair, example_pairs, png, turned
from reproof.pairs.pair import (
    STATUSES,
    Pair,
    PairStep,
    count_pairs,
    pair_problems,
    parse_pair,
    read_pairs,
    write_pairs,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TOKENS = st.lists(st.integers(0, 2**40), max_size=5).map(tuple)
RETURNS = st.floats(-1e3, 1e3)


@st.composite
def valid_pairs(draw: st.DrawFn) -> Pair:
    """Any pair that the rules allow."""
    colours = draw(st.lists(st.tuples(*[st.integers(0, 255)] * 3), max_size=3))
    images = tuple(png(colour) for colour in colours)
    places = st.lists(st.integers(0, max(len(images) - 1, 0)), max_size=3 if images else 0)
    step = st.builds(
        PairStep,
        prompt=TEXTS,
        image_indices=places.map(tuple),
        response=TEXTS,
        response_tokens=TOKENS,
        reward=RETURNS,
        status=st.sampled_from(STATUSES),
        prompt_tokens=st.none() | TOKENS,
    )
    steps = tuple(draw(st.lists(step, min_size=2, max_size=4)))
    cut = draw(st.integers(1, len(steps) - 1))
    better, worse = draw(RETURNS), draw(RETURNS)
    metadata = json.dumps(draw(st.dictionaries(TEXTS, TEXTS, max_size=2)))
    images += (b"",) * draw(st.integers(0, 1))
    task_id = draw(TEXTS.filter(bool))
    return Pair(task_id, better - worse, better, worse, images, steps, cut, metadata, "{}")


@settings(max_examples=40, deadline=None)
@given(st.lists(valid_pairs(), min_size=1, max_size=4))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Pair]
) -> None:
    path = tmp_path_factory.getbasetemp() / "law.parquet"
    assert write_pairs(path, rows) == len(rows) == count_pairs(path)
    assert list(read_pairs(path)) == rows


@settings(max_examples=40, deadline=None)
@given(valid_pairs())
def test_a_pair_that_the_rules_allow_has_no_problem_in_either_direction(pair: Pair) -> None:
    assert list(pair_problems(pair)) == []
    assert list(pair_problems(turned(pair))) == []
    assert turned(turned(pair)) == pair


def test_the_two_sides_share_out_the_steps() -> None:
    pair = example_pair(0, 0)
    assert pair.chosen + pair.rejected == pair.steps
    assert len(pair.chosen) == pair.n_chosen_steps


def test_the_images_of_a_step_are_those_it_points_to() -> None:
    pair = example_pair(0, 0)
    step = replace(pair.steps[0], image_indices=(2, 0))
    assert pair.images_of(step) == (pair.processed_images[2], pair.processed_images[0])


def test_the_goal_is_that_of_the_chosen_metadata() -> None:
    assert example_pair(0, 0).goal == "write a note of 0"
    assert replace(example_pair(0, 0), chosen_metadata='{"goal": 3}').goal is None


def test_equal_pairs_give_equal_bytes_over_many_row_groups(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_pairs(tmp_path / name, example_pairs(200, 7))
    assert sha256_file(tmp_path / "one") == sha256_file(tmp_path / "two")
    assert list(read_pairs(tmp_path / "one")) == list(example_pairs(200, 7))


def test_the_first_rows_of_a_file_come_without_the_rest(tmp_path: Path) -> None:
    write_pairs(tmp_path / "pairs", example_pairs(200, 7))
    assert len(list(itertools.islice(read_pairs(tmp_path / "pairs"), 3))) == 3


PAIR = example_pair(0, 0)
STEP = PAIR.steps[1]
NAN = float("nan")


def with_step(**changes: Any) -> Pair:
    """The example with its second step changed."""
    return replace(PAIR, steps=(PAIR.steps[0], replace(STEP, **changes), *PAIR.steps[2:]))


BROKEN: list[tuple[Pair, str]] = [
    (replace(PAIR, task_id=""), "task_id is empty"),
    (replace(PAIR, margin=NAN), "margin is nan, must be a finite number"),
    (replace(PAIR, pos_return=float("inf")), "pos_return is inf, must be a finite number"),
    (replace(PAIR, neg_return=NAN), "neg_return is nan, must be a finite number"),
    (
        replace(PAIR, margin=0.5, pos_return=1.0, neg_return=0.25),
        "margin is 0.5, but pos_return - neg_return is 0.75",
    ),
    (replace(PAIR, n_chosen_steps=-1), f"n_chosen_steps is -1, but the row has {len(PAIR.steps)}"),
    (replace(PAIR, n_chosen_steps=99), f"n_chosen_steps is 99, but the row has {len(PAIR.steps)}"),
    (replace(PAIR, n_chosen_steps=0), "the chosen trajectory is empty (n_chosen_steps is 0 of"),
    (replace(PAIR, n_chosen_steps=len(PAIR.steps)), "the rejected trajectory is empty"),
    (replace(PAIR, steps=(), n_chosen_steps=0), "the chosen trajectory is empty"),
    (with_step(image_indices=(9,)), "steps[1].image_indices holds 9, but the row has"),
    (with_step(image_indices=(-1,)), "steps[1].image_indices holds -1, but the row has"),
    (with_step(status="done"), "steps[1].status is 'done', must be one of completed, truncated"),
    (with_step(reward=NAN), "steps[1].reward is nan, must be a finite number"),
    (with_step(response_tokens=(1, -2)), "steps[1].response_tokens holds a number below 0"),
    (with_step(prompt_tokens=(-2,)), "steps[1].prompt_tokens holds a number below 0"),
    (replace(PAIR, chosen_metadata="{"), "chosen_metadata is no JSON object"),
    (replace(PAIR, rejected_metadata="[]"), "rejected_metadata is no JSON object"),
    (
        replace(
            PAIR, processed_images=(PAIR.processed_images[0], b"GIF89a", *PAIR.processed_images[2:])
        ),
        "steps[1].image_indices holds 1, and that image is no PNG file",
    ),
    (
        replace(PAIR, processed_images=(PAIR.processed_images[0], b"", *PAIR.processed_images[2:])),
        "steps[1].image_indices holds 1, and that image is no PNG file",
    ),
]


@pytest.mark.parametrize(("pair", "rule"), BROKEN, ids=[rule for _, rule in BROKEN])
def test_a_broken_row_is_named_with_its_rule(pair: Pair, rule: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_pair(dataclasses.asdict(pair), "raw.parquet: row 7")
    assert str(caught.value).startswith(f"raw.parquet: row 7: {rule}")
    assert "mend this row" in str(caught.value)


@pytest.mark.parametrize(("pair", "rule"), BROKEN, ids=[rule for _, rule in BROKEN])
def test_a_broken_row_is_not_written_and_leaves_no_file(
    tmp_path: Path, pair: Pair, rule: str
) -> None:
    with pytest.raises(InputError) as caught:
        write_pairs(tmp_path / "pairs", [example_pair(1, 0), pair])
    assert str(caught.value).startswith(f"{tmp_path / 'pairs'}: row 1: {rule}")
    assert list(tmp_path.iterdir()) == []


def test_a_margin_may_be_off_by_rounding_alone() -> None:
    pair = replace(PAIR, pos_return=0.3, neg_return=0.1, margin=0.2)
    assert pair.margin != pair.pos_return - pair.neg_return
    assert list(pair_problems(pair)) == []
    assert list(pair_problems(replace(pair, margin=0.2 + 2e-6)))


NULLS: list[tuple[str, dict[str, Any]]] = [
    ("task_id is null", {"task_id": None}),
    ("margin is null", {"margin": None}),
    ("n_chosen_steps is null", {"n_chosen_steps": None}),
    ("rejected_metadata is null", {"rejected_metadata": None}),
    ("steps[0] is null", {"steps": [None]}),
]


@pytest.mark.parametrize(("rule", "change"), NULLS, ids=[rule for rule, _ in NULLS])
def test_a_null_where_a_value_must_be_is_named(rule: str, change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"row 0: {rule}".replace("[", r"\[")):
        parse_pair(dataclasses.asdict(PAIR) | change, "file: row 0")


@pytest.mark.parametrize("name", ["prompt", "image_indices", "response_tokens", "reward", "status"])
def test_a_null_inside_a_step_is_named(name: str) -> None:
    row = dataclasses.asdict(PAIR)
    row["steps"][2][name] = None
    with pytest.raises(InputError, match=rf"steps\[2\]\.{name} is null"):
        parse_pair(row, "file: row 0")
    if name in ("image_indices", "response_tokens"):
        row["steps"][2][name] = [None]
        with pytest.raises(InputError, match=rf"a value in steps\[2\]\.{name} is null"):
            parse_pair(row, "file: row 0")


def test_columns_that_another_tool_added_are_left_out() -> None:
    assert parse_pair(dataclasses.asdict(PAIR) | {"ref_logps": 1.0}, "row 0") == PAIR


def test_a_null_image_is_a_placeholder() -> None:
    row = dataclasses.asdict(PAIR)
    row["processed_images"] = [*PAIR.processed_images, None]
    assert parse_pair(row, "row 0").processed_images[-1] == b""
