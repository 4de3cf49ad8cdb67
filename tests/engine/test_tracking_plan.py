import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reproof.engine.tracking_plan import NOT_FINITE_TAG, RunLog, plan_run
from reproof.ground.secrets import without_secrets

NAMES = st.text(min_size=1, max_size=300)
CURVES = st.dictionaries(
    NAMES, st.lists(st.tuples(st.integers(0, 9999), st.floats()), max_size=30), max_size=3
)


def run(**values: Any) -> RunLog:
    return RunLog("evaluate@init", "d1", **values)


@given(st.dictionaries(NAMES, st.floats()), CURVES)
def test_only_finite_numbers_under_allowed_names_go_out(
    metrics: dict[str, float], curves: dict[str, list[tuple[int, float]]]
) -> None:
    for batch in plan_run(run(metrics=metrics, curves=curves), "p").batches:
        for point in batch.points:
            assert math.isfinite(point.value)
            assert 1 <= len(point.key) <= 250
            assert all(sign.isalnum() or sign in "/_.- :" for sign in point.key)


@given(st.integers(0, 2500))
def test_no_point_is_lost_or_doubled_by_batching(count: int) -> None:
    curve = [(step, step / 7) for step in range(count)]
    batches = plan_run(run(curves={"loss": curve}), "p").batches
    assert [(p.step, p.value) for batch in batches for p in batch.points] == curve
    assert all(len(batch.points) <= 1000 for batch in batches)


@given(st.dictionaries(st.text(st.sampled_from("abc"), min_size=1), st.integers(), max_size=5))
def test_the_order_in_which_values_come_does_not_matter(params: dict[str, int]) -> None:
    turned = dict(reversed(params.items()))
    assert plan_run(run(params=params), "p") == plan_run(run(params=turned), "p")


def test_a_metric_that_was_not_finite_is_named_in_a_tag() -> None:
    plan = plan_run(run(metrics={"a": math.nan, "b": 1.0}, curves={"c": [(1, math.inf)]}), "p")
    assert plan.tags[NOT_FINITE_TAG] == "a, c"
    assert [point.key for batch in plan.batches for point in batch.points] == ["b"]


def test_user_and_password_in_a_url_are_taken_out() -> None:
    assert without_secrets("git: https://me:pw@host.example/x.git") == (
        "git: https://host.example/x.git"
    )


def test_a_token_in_a_url_is_masked_and_the_rest_stays() -> None:
    masked = without_secrets("https://host.example/x?access_token=abc&page=2")
    assert masked == "https://host.example/x?access_token=***&page=2"


def test_secrets_leave_params_and_tags_alike() -> None:
    secret = "https://u:hunter2@host.example"
    plan = plan_run(run(params={"remote": secret}, tags={"remote": secret}), "p")
    assert "hunter2" not in str(plan)


def test_a_tag_longer_than_the_server_takes_is_cut() -> None:
    assert len(plan_run(run(tags={"long": "x" * 9000}), "p").tags["long"]) == 8000
