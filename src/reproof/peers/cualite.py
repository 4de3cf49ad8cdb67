"""Read an evaluation log of cua-lite (`run_<N>.json`) strictly, in its three variants.

Every number keeps its definition and its denominator, because the same name has
meant different things: `mean_episode_return` is the mean over the *valid* samples
only, and in mobilegym it was partial progress in July and success in September.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from reproof.ground.errors import InputError
from reproof.ground.files import read_json, sha256_file
from reproof.ground.unknown import Unknown
from reproof.peers import cualite_fields as field

PLAIN, MINIMAL, RETAINED = "plain", "minimal", "retained"
MEAN_DEFINITION = (
    "sum of step rewards of an episode, averaged over the valid samples (those without an error)"
)
_NOT_IN_LOG = Unknown("this variant of the log does not record it")


@dataclass(frozen=True, slots=True)
class Measured:
    """A number, what it is the mean of, and over how many."""

    value: float
    definition: str
    denominator: int


@dataclass(frozen=True, slots=True)
class Source:
    """Where a retained row was taken from, and under what it was measured."""

    artifact_path: str
    launch_commits: tuple[str, ...]
    had_uncommitted_changes: bool
    errors: int
    error_tasks: tuple[str, ...]
    config_path: str
    config_sha256_by_commit: Mapping[str, str]
    environment_overrides: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """One model of a log. `valid` of `tasks` episodes ended without an error."""

    position: int
    model: str
    slug: str | Unknown
    config_id: str | Unknown
    status: str | Unknown
    valid: int
    tasks: int
    samples: int | Unknown
    mean: Measured | Unknown
    summary_path: str | Unknown
    artifact_path: str | Unknown
    source: Source | Unknown

    @property
    def total(self) -> float | Unknown:
        """Summed return of the valid episodes."""
        if isinstance(self.mean, Unknown):
            return self.mean
        return self.mean.value * self.mean.denominator


@dataclass(frozen=True, slots=True)
class Campaign:
    """A log: one table of models in one environment."""

    file: str
    sha256: str
    variant: str
    env: str
    commit_dir: str
    run_id: str
    short_sha: str
    artifact_root: str
    result_count: int
    status_counts: Mapping[str, int] | Unknown
    aggregation_commit: str | Unknown
    metric_policy: str | Unknown
    rows: tuple[CampaignRow, ...]

    def place(self, row: CampaignRow) -> str:
        """For messages: file, row from 1, model."""
        return f"{self.file}, results[{row.position}] {row.model}"


def is_campaign(value: Any) -> bool:
    """Whether a JSON value is meant to be a log, so that its faults are worth naming."""
    return isinstance(value, dict) and {"env", "commit_dir", "results"} <= value.keys()


def read_campaign(path: Path, name: str = "") -> Campaign:
    """Parse a log; InputError names the row and the rule."""
    file, value = name or str(path), read_json(path)
    if not is_campaign(value):
        _refuse(file, "is no evaluation log of cua-lite", "give a run_<N>.json")
    variant = _variant(value)
    field.keys(file, value, *field.LOG[variant])
    commit = field.mapping(f"{file}, commit", value["commit"])
    counts = value.get("status_counts")
    results = value["results"]
    if not isinstance(results, list) or not results:
        _refuse(file, "results must be a list that is not empty", "give a whole log")
    return Campaign(
        file=file,
        sha256=sha256_file(path),
        variant=variant,
        env=field.text(file, value, "env"),
        commit_dir=field.text(file, value, "commit_dir"),
        run_id=field.text(file, value, "run_id"),
        short_sha=field.text(f"{file}, commit", commit, "short_sha"),
        artifact_root=field.text(file, value, "artifact_root"),
        result_count=field.count(file, value, "result_count"),
        status_counts=_NOT_IN_LOG if counts is None else _counts(file, counts),
        aggregation_commit=_optional_text(file, value, "aggregation_branch_commit"),
        metric_policy=_optional_text(file, value, "metric_policy"),
        rows=tuple(_row(file, variant, i, row, _policy(value)) for i, row in enumerate(results)),
    )


def _variant(value: Mapping[str, Any]) -> str:
    if "snapshot_kind" in value:
        return RETAINED
    return PLAIN if "schema_version" in value else MINIMAL


def _policy(value: Mapping[str, Any]) -> str:
    """The log's own words, where it has any, beside the definition in cua-lite's code."""
    words = value.get("metric_policy")
    return f"{MEAN_DEFINITION}; the log says: {words}" if words else MEAN_DEFINITION


def _counts(file: str, value: Any) -> dict[str, int]:
    where = f"{file}, status_counts"
    counts = field.mapping(where, value)
    return {name: field.count(where, counts, name) for name in counts}


def _optional_text(where: str, value: Mapping[str, Any], key: str) -> str | Unknown:
    return field.text(where, value, key) if key in value else _NOT_IN_LOG


def _row(file: str, variant: str, position: int, value: Any, definition: str) -> CampaignRow:
    where = f"{file}, results[{position}]"
    row = field.mapping(where, value)
    is_empty = row.get("status") == "empty"
    field.keys(where, row, *field.ROW["empty" if is_empty else variant])
    valid = field.count(where, row, "num_valid")
    return CampaignRow(
        position=position,
        model=field.text(where, row, "model"),
        slug=_optional_text(where, row, "slug"),
        config_id=_optional_text(where, row, "config_id"),
        status=_optional_text(where, row, "status"),
        valid=valid,
        tasks=field.count(where, row, "num_tasks"),
        samples=field.count(where, row, "num_samples") if "num_samples" in row else _NOT_IN_LOG,
        mean=_mean(where, row, valid, definition),
        summary_path=_optional_text(where, row, "summary_path"),
        artifact_path=_optional_text(where, row, "artifact_path"),
        source=_source(where, row) if variant == RETAINED and not is_empty else _NOT_IN_LOG,
    )


def _mean(where: str, row: Mapping[str, Any], valid: int, definition: str) -> Measured | Unknown:
    if row["mean_episode_return"] is None:
        if valid:
            _refuse(where, f"has no mean of {valid} valid episodes", "write the campaign again")
        return Unknown("no episode is valid")
    mean = field.number(where, row, "mean_episode_return")
    if not valid:
        _refuse(where, f"has a mean of {mean} over no valid episode", "write the campaign again")
    return Measured(mean, definition, valid)


def _source(where: str, row: Mapping[str, Any]) -> Source:
    hashes = field.mapping(where, row["source_config_sha256_by_commit"])
    return Source(
        field.text(where, row, "source_artifact_path"),
        field.texts(where, row, "source_launch_commits"),
        field.flag(where, row, "source_had_uncommitted_changes"),
        field.count(where, row, "num_errors"),
        field.texts(where, row, "error_task_ids") if "error_task_ids" in row else (),
        field.text(where, row, "config_path"),
        {commit: field.text(where, hashes, commit) for commit in hashes},
        field.mapping(where, row["environment_overrides"]),
    )


def _refuse(where: str, rule: str, way_out: str) -> NoReturn:
    raise InputError(where, rule, way_out)
