"""The judge: MobileGym's diff, expected changes, progress, success."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.tiny.judge import Change, Check, Judgement, diff, unexpected

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "id"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON)
def test_nothing_differs_from_itself(value: Any) -> None:
    assert list(diff(value, value)) == []


@given(JSON, JSON)
def test_what_is_unequal_differs(before: Any, after: Any) -> None:
    """None and absent count as the same, as in MobileGym; so do Python's equal values."""
    if before != after and without_none(before) != without_none(after):
        assert list(diff(before, after))


def without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_none(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_none(v) for v in value]
    return value


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        ({"a": 1}, {"a": 2}, ["a"]),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, ["a.c"]),
        ([{"id": "1", "x": 1}], [{"id": "1", "x": 2}], ["[id=1].x"]),
        ([{"id": "1"}], [{"id": "1"}, {"id": "2"}], ["[id=2]"]),
        ([{"id": "1"}, {"id": "2"}], [{"id": "2"}, {"id": "1"}], ["._relative_order"]),
        (["a", "b"], ["b", "c"], ["[-=a]", "[+=c]"]),
        (["a", "b"], ["b", "a"], ["._order"]),
        ([["a"]], [["b"]], ["[0][-=a]", "[0][+=b]"]),
    ],
)
def test_paths_are_those_of_mobilegym(before: Any, after: Any, paths: list[str]) -> None:
    assert [change.path for change in diff(before, after)] == paths


def changes(*paths: str) -> list[Change]:
    return [Change(path, None, "new") for path in paths]


@pytest.mark.parametrize(
    ("pattern", "path", "allowed"),
    [
        ("apps.a.x", "apps.a.x", True),
        ("apps.a.x", "apps.a.x.y", True),
        ("apps.a.x", "apps.a.x[id=1]", True),
        ("apps.a.x", "apps.a.xy", False),
        ("apps.*.x", "apps.a.x", True),
        ("apps.*.x", "apps.a.b.x", False),
        ("apps.a.l[+1]", "apps.a.l[id=2]", True),
    ],
)
def test_a_pattern_allows_its_path_and_what_lies_below(
    pattern: str, path: str, allowed: bool
) -> None:
    assert (unexpected(changes(path), [pattern]) == ()) is allowed


def test_a_budget_allows_so_many_additions_and_no_change() -> None:
    added = changes("apps.a.l[id=2]", "apps.a.l[id=3]")
    assert [c.path for c in unexpected(added, ["apps.a.l[+1]"])] == ["apps.a.l[id=3]"]
    changed = [Change("apps.a.l[id=1].x", "old", "new"), Change("apps.a.l[id=1]", "old", None)]
    assert unexpected(changed, ["apps.a.l[+1]"]) == tuple(changed)


@pytest.mark.parametrize("path", ["os.activeAppId", "apps.clock._temp.hour", "apps.answer_sheet.x"])
def test_the_interface_is_no_side_effect(path: str) -> None:
    assert unexpected(changes(path), []) == ()


@given(st.lists(st.booleans(), min_size=1, max_size=6), st.booleans(), st.booleans())
def test_success_needs_all_checks_a_clean_state_and_a_finish(
    passed: list[bool], clean: bool, finished: bool
) -> None:
    judgement = Judgement(
        checks=tuple(Check(str(i), True, ok) for i, ok in enumerate(passed)),
        side_effects=() if clean else tuple(changes("apps.x")),
        finished=finished,
    )
    assert judgement.progress == sum(passed) / len(passed)
    assert judgement.is_success == (all(passed) and clean and finished)
    # 1 exactly for a success; otherwise half the progress, so never over a half.
    assert (judgement.episode_return == 1.0) == judgement.is_success
    assert judgement.is_success or judgement.episode_return == 0.5 * judgement.progress
