"""Faults of real logs of cua-lite, each found by name; some logs are broken here on purpose."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.peers.cualite import MEAN_DEFINITION, Campaign, Measured, read_campaign
from reproof.peers.cualite_faults import changed_metric, faults, scoring
from reproof.verdict.campaign import CONFOUND, CONTRADICTION, Fault

DATA = Path(__file__).parent / "data"
NAMES = ("mobilegym", "mobilegym_2026-07-08", "osworld")
Break = Callable[[dict[str, Any]], object]


def log(name: str) -> Campaign:
    return read_campaign(DATA / f"{name}.json", name)


def broken(folder: Path, name: str, breaking: Break) -> Campaign:
    value = json.loads((DATA / f"{name}.json").read_text())
    breaking(value)
    path = folder / "run_0.json"
    path.write_text(json.dumps(value))
    return read_campaign(path, "run_0.json")


def of_kind(campaign: Campaign, kind: str, about: str = "") -> list[Fault]:
    return [f for f in faults(campaign) if f.kind == kind and about in f.where]


@pytest.mark.parametrize(
    ("name", "variant", "rows", "scored"),
    [
        ("mobilegym", "retained", 15, "binary"),
        ("mobilegym_2026-07-08", "plain", 15, "fractional"),
        ("osworld", "minimal", 15, "fractional"),
    ],
)
def test_the_three_variants_are_read(name: str, variant: str, rows: int, scored: str) -> None:
    campaign = log(name)

    assert (campaign.variant, len(campaign.rows), scoring(campaign)) == (variant, rows, scored)


def test_each_mean_keeps_its_definition_and_denominator() -> None:
    claude = log("mobilegym").rows[13]

    assert isinstance(claude.mean, Measured)
    assert claude.mean.denominator == 255
    assert claude.mean.definition.startswith(MEAN_DEFINITION)
    assert "samples without errors" in claude.mean.definition


def test_nothing_in_the_real_logs_contradicts_itself() -> None:
    every = [
        f for name in ("mobilegym", "mobilegym_2026-07-08", "osworld") for f in faults(log(name))
    ]

    assert [fault for fault in every if fault.weight == CONTRADICTION] == []


def test_one_number_of_two_config_hashes_is_found() -> None:
    (fault,) = of_kind(log("mobilegym"), "mixed configurations")

    assert fault.where == "mobilegym, results[13] claude-opus-5"
    assert "802749c 3f35e3b3, 8ea5762 ae9c95ef" in fault.says


def test_one_number_of_several_launch_commits_is_found() -> None:
    found = of_kind(log("mobilegym"), "several commits in one number")

    assert [fault.where.split()[-1] for fault in found] == ["Qwen/Qwen3.5-9B", "claude-opus-5"]


def test_uncommitted_changes_and_an_undated_folder_are_found() -> None:
    (dirty,) = of_kind(log("mobilegym"), "uncommitted changes")
    (undated,) = of_kind(log("mobilegym"), "undated folder")

    assert dirty.where.endswith("claude-opus-5")
    assert "probe_20260919/run_1" in undated.says


def test_a_mean_over_valid_samples_is_told_from_the_mean_over_all() -> None:
    (fault,) = of_kind(log("mobilegym"), "another denominator")

    assert "0.7020 is over the 255 valid of 256 tasks" in fault.says
    assert "with an error as 0, it is 0.6992" in fault.says


def test_short_rows_of_osworld_are_found() -> None:
    found = of_kind(log("osworld"), "another denominator")

    assert len(found) == 3
    assert all("324 valid of 325 tasks" in fault.says for fault in found)


def test_rows_of_one_table_that_differ_in_timeout_and_commit_are_found() -> None:
    timeout, commit = of_kind(log("mobilegym"), "mixed configurations in one table")

    assert "step_timeout: not set (8 rows); 240 (6 rows)" in timeout.says
    assert "launch commit: 802749c (8 rows); dd6c13d (4 rows)" in commit.says


def test_the_metric_changed_between_july_and_september_under_one_name() -> None:
    (fault,) = changed_metric(log("mobilegym_2026-07-08"), log("mobilegym"))

    assert fault.weight == CONFOUND
    assert "fractional in mobilegym_2026-07-08 and binary in mobilegym" in fault.says
    assert changed_metric(log("mobilegym"), log("mobilegym")) == ()


def test_partial_progress_of_the_4b_model_became_35_of_256() -> None:
    july, september = (
        next(row for row in log(name).rows if row.model == "Qwen/Qwen3-VL-4B-Instruct")
        for name in ("mobilegym_2026-07-08", "mobilegym")
    )

    assert july.total == pytest.approx(60.14, abs=0.005)
    assert september.total == pytest.approx(35)


def test_a_half_integer_among_whole_sums_is_found(tmp_path: Path) -> None:
    def half(value: dict[str, Any]) -> None:
        value["results"][5]["mean_episode_return"] = 75.5 / 256

    campaign = broken(tmp_path, "mobilegym", half)
    (fault,) = of_kind(campaign, "another metric definition")

    assert fault.where.endswith("Qwen/Qwen3.5-27B")
    assert "sum to 75.50" in fault.says


def test_a_row_that_was_never_started_has_no_mean() -> None:
    campaign = log("mobilegym")

    assert isinstance(campaign.rows[14].mean, Unknown)
    assert len(of_kind(campaign, "row without a result")) == 1


def test_what_is_not_recorded_is_named() -> None:
    (fault,) = of_kind(log("osworld"), "provenance")

    assert "launch commits" in fault.says
    assert "weights" in fault.says


def set_top(key: str, content: object) -> Break:
    return lambda value: value.__setitem__(key, content)


def set_row(key: str, content: object, row: int = 0) -> Break:
    return lambda value: value["results"][row].__setitem__(key, content)


@pytest.mark.parametrize(
    ("breaking", "kind"),
    [
        (set_top("result_count", 14), "counts disagree"),
        (set_top("status_counts", {"complete": 15}), "counts disagree"),
        (set_top("commit", {"short_sha": "0000000", "subject": "x"}), "commits disagree"),
        (set_row("status", "partial"), "status disagrees"),
        (set_row("num_valid", 257), "counts disagree"),
        (set_row("num_errors", 1), "counts disagree"),
        (set_row("error_task_ids", ["a.B"]), "counts disagree"),
        (set_row("mean_episode_return", 80.86), "mean outside [0, 1]"),
        (set_row("artifact_path", "elsewhere"), "paths disagree"),
        (set_row("summary_path", "elsewhere/summary.json"), "paths disagree"),
        (lambda value: value["results"].append(value["results"][0]), "row repeated"),
    ],
)
def test_a_log_that_contradicts_itself_is_found(tmp_path: Path, breaking: Break, kind: str) -> None:
    found = of_kind(broken(tmp_path, "mobilegym", breaking), kind)

    assert found
    assert {fault.weight for fault in found} == {CONTRADICTION}


def test_errors_that_do_not_make_up_the_samples_are_named_as_such(tmp_path: Path) -> None:
    (first, second) = of_kind(broken(tmp_path, "mobilegym", set_row("num_errors", 1)),
                              "counts disagree")  # fmt: skip

    assert first.says == "256 valid and 1 errors are not 256 samples"
    assert second.says == "1 errors, but 0 tasks are named for them"


def test_a_table_of_several_task_counts_is_found(tmp_path: Path) -> None:
    campaign = broken(tmp_path, "osworld", set_row("num_tasks", 369))

    assert "369, 325 tasks" in of_kind(campaign, "another denominator")[0].says


@pytest.mark.parametrize(
    ("breaking", "rule"),
    [
        (set_row("num_valid", True), "num_valid is True, must be an integer from 0"),
        (set_row("mean_episode_return", "0.8"), "must be a finite number"),
        (set_row("mean_episode_return", float("nan")), "must be a finite number"),
        (set_row("mean_episode_return", None), "has no mean of 256 valid episodes"),
        (set_row("mood", "good"), "has 'mood', which no known variant has"),
        (set_row("source_had_uncommitted_changes", "false"), "must be true or false"),
        (set_row("source_launch_commits", "802749c"), "must be a list of texts"),
        (lambda value: value["results"][0].pop("config_path"), "lacks 'config_path'"),
        (set_top("results", []), "results must be a list that is not empty"),
        (set_top("surprise", 1), "has 'surprise', which no known variant has"),
        (lambda value: value.pop("env"), "is no evaluation log of cua-lite"),
    ],
)
def test_what_no_known_variant_holds_is_refused(tmp_path: Path, breaking: Break, rule: str) -> None:
    with pytest.raises(InputError) as caught:
        broken(tmp_path, "mobilegym", breaking)

    assert rule in str(caught.value)
