import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from reproof.flow.baseline import baseline_text
from reproof.ground.errors import InputError
from reproof.ground.files import sha256_file
from reproof.ground.unknown import Unknown
from reproof.scores.episode import write_episodes
from reproof.verdict.baseline import (
    Baseline,
    Control,
    find_baseline,
    parse_baseline,
    read_baseline,
)
from reproof.verdict.noise import MeasuredNoise
from tests.record.project import episode
from tests.verdict.sides import baseline, card, per_task, published, vouched

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "run_info/baselines/mobilegym-4b-epoch-1.yaml"
RETURNS = [1.0, 0.25, 0.0]


def plain() -> dict[str, Any]:
    side = per_task(RETURNS, vouched(), ["g1", "g1", "g2"])
    return baseline(side, Control("init", 0.2, 0)).to_json()


def parse(value: Any) -> Baseline:
    return parse_baseline(value, "b.yaml", Path())


@given(
    st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 1.0]), min_size=1, max_size=8),
    st.booleans(),
    st.booleans(),
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), max_size=12),
)
@settings(max_examples=25)
def test_a_baseline_survives_its_file(
    returns: list[float], has_run: bool, has_noise: bool, about: str
) -> None:
    run = vouched() if has_run else Unknown("lost")
    noise = MeasuredNoise(0.01, 4.0, "i", "repeats") if has_noise else Unknown("none")
    value = baseline(per_task(returns, run), about=about, noise=noise)
    assert parse(yaml.safe_load(baseline_text(value))) == value


def test_totals_alone_survive_too() -> None:
    value = baseline(published(0.3793, 72), Control("SFT init", 0.3656, 67))
    assert parse(yaml.safe_load(baseline_text(value))) == value


def test_a_task_is_one_line() -> None:
    text = baseline_text(baseline(per_task(card())))
    assert len([line for line in text.splitlines() if "task_id" in line]) == 256


def test_the_published_baseline_says_what_the_card_says() -> None:
    value = read_baseline(PUBLISHED)
    side = value.side
    assert (side.n, side.mean_return, side.success) == (256, 0.3793, 72)
    assert value.negative_control == Control("SFT init", 0.3656, 67)
    assert (side.protocol.env_id, side.protocol.max_steps) == ("mobilegym", 45)
    assert isinstance(side.tasks, Unknown)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda v: v.update(schema_version=2), "reads 1"),
        (lambda v: v.pop("results"), "lacks 'results'"),
        (lambda v: v.update(surplus=1), "'surplus', which does not belong"),
        (lambda v: v["results"].update(mean_return=float("nan")), "must be finite"),
        (lambda v: v["results"].update(mean_return="0.4"), "must be of type float"),
        (lambda v: v["results"].update(mean_return=True), "must be of type float"),
        (lambda v: v["results"].update(success=2), "contradict each other"),
        (lambda v: v["results"].update(n=4), "are not what the listed tasks give"),
        (lambda v: v["results"].update(success=7), "do not fit n 3"),
        (lambda v: v["tasks"].append(v["tasks"][0]), "'t000' is listed twice"),
        (lambda v: v["tasks"][0].update(episode_return=37.5), "outside"),
        (lambda v: v["tasks"][0].update(episode_return=None), "must be of type float"),
        (lambda v: v["tasks"][0].update(episode_return=float("inf")), "must be finite"),
        (lambda v: v["tasks"][0].pop("task_id"), "lacks 'task_id'"),
        (lambda v: v["protocol"].pop("judge"), "lacks 'judge'"),
        (lambda v: v["protocol"].update(n_tasks="3"), "n_tasks"),
        (lambda v: v.update(negative_control=0.3), "must be an object"),
    ],
)
def test_a_baseline_that_breaks_a_rule_is_refused(change: Any, rule: str) -> None:
    value = copy.deepcopy(plain())
    change(value)
    with pytest.raises(InputError, match=rule):
        parse(value)


@pytest.mark.parametrize("value", [None, [], "text", {}])
def test_what_is_no_baseline_is_refused(value: Any) -> None:
    with pytest.raises(InputError):
        parse(value)


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    text = PUBLISHED.read_text().replace("  n: 256\n", "  n: 256\n  n: 255\n")
    (tmp_path / "b.yaml").write_text(text)
    with pytest.raises(InputError, match="n is given twice"):
        read_baseline(tmp_path / "b.yaml")


def test_tasks_may_lie_in_a_file_of_episodes_beside(tmp_path: Path) -> None:
    episodes = tmp_path / "tiny.parquet"
    write_episodes(episodes, [episode(row, value) for row, value in enumerate(RETURNS)])
    value = plain() | {"tasks": {"path": "tiny.parquet", "sha256": sha256_file(episodes)}}
    (tmp_path / "b.yaml").write_text(yaml.safe_dump(value))
    tasks = read_baseline(tmp_path / "b.yaml").side.tasks
    assert not isinstance(tasks, Unknown)
    assert [task.episode_return for task in tasks] == RETURNS
    episodes.write_bytes(b"other")
    with pytest.raises(InputError, match="is not the file that the baseline names"):
        read_baseline(tmp_path / "b.yaml")


def test_a_baseline_is_found_by_name_or_by_path(tmp_path: Path) -> None:
    assert find_baseline(ROOT, "mobilegym-4b-epoch-1") == PUBLISHED
    assert find_baseline(tmp_path, str(PUBLISHED)) == PUBLISHED
    with pytest.raises(InputError, match="did you mean mobilegym-4b-epoch-1"):
        find_baseline(ROOT, "mobilegym-4b-epoch")
    with pytest.raises(InputError, match="choose one of: none"):
        find_baseline(tmp_path, "tiny")


@pytest.mark.parametrize("name", ["inputs", "environment"])
def test_facts_that_were_edited_under_their_id_are_refused(name: str) -> None:
    value = yaml.safe_load(baseline_text(baseline(per_task(RETURNS, vouched()))))
    value["run"][name]["edited"] = "yes"
    with pytest.raises(InputError, match=f"run.{name}_id is not the digest of run.{name}"):
        parse(value)
