"""The fields of a cua-lite log's rows, taken only when they are of the kind they must be."""

import math
from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from reproof.ground.errors import InputError

_NUMBERS = ("num_valid", "num_tasks", "mean_episode_return")
_PATHS = ("artifact_path", "summary_path")
_NAMES = ("slug", "base_slug", "config_id", "status", "num_samples")
_SOURCE = (
    "source_artifact_path",
    "source_summary_sha256",
    "num_errors",
    "source_run_info_path",
    "source_run_info_sha256",
    "source_launch_commits",
    "source_had_uncommitted_changes",
    "sample_records_sha256",
    "config_path",
    "environment_overrides",
    "recorded_api_kwargs",
    "source_config_sha256_by_commit",
)
_LOG = ("env", "commit_dir", "run_id", "commit", "artifact_root", "result_count", "results")
_RETAINED = ("snapshot_kind", "aggregation_branch_commit", "errors", "metric_policy")

Keys = tuple[tuple[str, ...], tuple[str, ...]]

LOG: dict[str, Keys] = {
    "minimal": (_LOG, ()),
    "plain": ((*_LOG, "schema_version", "status_counts"), ("runtime", "errors")),
    "retained": (
        (*_LOG, "schema_version", "status_counts", *_RETAINED),
        ("runtime_transport_commit",),
    ),
}
"""Keys that must, and keys that may, stand at the top of each variant."""

ROW: dict[str, Keys] = {
    "minimal": (("model", *_NUMBERS, *_PATHS), ()),
    "plain": (("model", *_NUMBERS, *_PATHS, *_NAMES), ("note",)),
    "retained": (("model", *_NUMBERS, *_PATHS, *_NAMES, *_SOURCE), ("error_task_ids", "note")),
    "empty": (("model", *_NUMBERS, *_NAMES), (*_PATHS, *_SOURCE, "note")),
}
"""The same for their rows; a row that was never started is `empty` in each variant."""


def keys(
    where: str,
    value: Mapping[str, Any],
    needed: Collection[str],
    allowed: Collection[str],
) -> None:
    """Refuse a key that lacks, and one that nobody knows."""
    for name in needed:
        if name not in value:
            _refuse(where, f"lacks {name!r}")
    for name in value:
        if name not in needed and name not in allowed:
            _refuse(where, f"has {name!r}, which no known variant has")


def mapping(where: str, value: Any) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        _refuse(where, "is not an object")
    return value


def text(where: str, value: Mapping[str, Any], key: str) -> str:
    """A text that is not empty."""
    found = value.get(key)
    if not isinstance(found, str) or not found:
        _refuse(where, f"{key} is {found!r}, must be a text that is not empty")
    return found


def texts(where: str, value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of texts."""
    found = value.get(key)
    if not isinstance(found, list) or not all(isinstance(each, str) and each for each in found):
        _refuse(where, f"{key} is {found!r}, must be a list of texts")
    return tuple(found)


def count(where: str, value: Mapping[str, Any], key: str) -> int:
    """An integer from 0; true is none, although Python says so."""
    found = value.get(key)
    if isinstance(found, bool) or not isinstance(found, int) or found < 0:
        _refuse(where, f"{key} is {found!r}, must be an integer from 0")
    return found


def number(where: str, value: Mapping[str, Any], key: str) -> float:
    """A finite number; Python's JSON reader lets NaN and Infinity through."""
    found = value.get(key)
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    if not is_number or not math.isfinite(found or 0):
        _refuse(where, f"{key} is {found!r}, must be a finite number")
    return float(found or 0)


def flag(where: str, value: Mapping[str, Any], key: str) -> bool:
    """True or false; the text "false" is neither."""
    found = value.get(key)
    if not isinstance(found, bool):
        _refuse(where, f"{key} is {found!r}, must be true or false")
    return found


def _refuse(where: str, rule: str) -> NoReturn:
    raise InputError(where, rule, "give the log as cua-lite wrote it")
