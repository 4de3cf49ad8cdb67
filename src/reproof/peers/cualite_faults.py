"""Faults that can be seen from a cua-lite log alone, and between two logs of one environment."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from reproof.ground.canon import to_bytes
from reproof.ground.unknown import Unknown
from reproof.peers.cualite import RETAINED, Campaign, CampaignRow, Source
from reproof.verdict.campaign import CONFOUND, CONTRADICTION, GAP, Fault

_SLACK = 1e-6
_DATED = re.compile(r"/\d{4}-\d{2}-\d{2}T\d{2}-\d{2}_[0-9a-f]{7,40}/")
BINARY, FRACTIONAL, MIXED = "binary", "fractional", "binary but for single rows"


def faults(campaign: Campaign) -> tuple[Fault, ...]:
    """All faults of one log, those of the whole table first."""
    whole = [fault for rule in _OF_TABLE for fault in rule(campaign)]
    rows = [
        Fault(kind, weight, campaign.place(row), says)
        for row in campaign.rows
        for rule in _OF_ROW
        for kind, weight, says in rule(campaign, row)
    ]
    return (*whole, *rows)


def scoring(campaign: Campaign) -> str:
    """How the returns of a log look: sums of whole numbers, or of fractions.

    With a binary score every row sums to a whole number; a partial one almost never does.
    """
    totals = [row.total for row in campaign.rows if not isinstance(row.total, Unknown)]
    broken = sum(not _is_whole(total) for total in totals)
    if not broken:
        return BINARY
    return MIXED if broken * 4 <= len(totals) else FRACTIONAL


def changed_metric(older: Campaign, newer: Campaign) -> tuple[Fault, ...]:
    """Two logs of one environment whose one field name holds two different metrics."""
    ours, theirs = scoring(older), scoring(newer)
    if older.env != newer.env or {ours, theirs} != {BINARY, FRACTIONAL}:
        return ()
    shared = _shared(older, newer)
    says = f"mean_episode_return is {ours} in {older.file} and {theirs} in {newer.file}"
    if shared:
        model, before, after = shared
        says += f": another metric under the same name ({model}: {before:.4f} and {after:.4f})"
    return (Fault("another metric definition", CONFOUND, newer.file, says),)


def _shared(older: Campaign, newer: Campaign) -> tuple[str, float, float] | None:
    """The model of both logs whose mean has changed most."""
    means = {r.model: r.mean.value for r in older.rows if not isinstance(r.mean, Unknown)}
    both = [
        (row.model, means[row.model], row.mean.value)
        for row in newer.rows
        if row.model in means and not isinstance(row.mean, Unknown)
    ]
    return max(both, key=lambda each: abs(each[2] - each[1]), default=None)


Found = Iterator[tuple[str, str, str]]


def _mixed_configs(_: Campaign, row: CampaignRow) -> Found:
    source = row.source
    if isinstance(source, Source) and len(set(source.config_sha256_by_commit.values())) > 1:
        hashes = source.config_sha256_by_commit.items()
        named = ", ".join(f"{commit} {digest[:8]}" for commit, digest in hashes)
        says = f"one number of two contents of {source.config_path}: {named}"
        yield "mixed configurations", CONFOUND, says


def _several_commits(_: Campaign, row: CampaignRow) -> Found:
    source = row.source
    if isinstance(source, Source) and len(source.launch_commits) > 1:
        says = f"one number of several launch commits: {', '.join(source.launch_commits)}"
        yield "several commits in one number", CONFOUND, says


def _uncommitted(_: Campaign, row: CampaignRow) -> Found:
    if isinstance(row.source, Source) and row.source.had_uncommitted_changes:
        says = "the code had uncommitted changes, and the log does not keep them"
        yield "uncommitted changes", CONFOUND, says


def _undated(_: Campaign, row: CampaignRow) -> Found:
    source = row.source
    if isinstance(source, Source) and not _DATED.search(source.artifact_path):
        says = f"taken from {source.artifact_path}, a folder that names neither time nor commit"
        yield "undated folder", CONFOUND, says


def _short(_: Campaign, row: CampaignRow) -> Found:
    """The mean leaves errors out, so its denominator is not that of the other rows."""
    total = row.total
    if not row.valid or row.valid >= row.tasks or isinstance(total, Unknown):
        return
    value = total / row.valid
    says = f"{value:.4f} is over the {row.valid} valid of {row.tasks} tasks; over all of them, "
    says += f"with an error as 0, it is {total / row.tasks:.4f}"
    yield "another denominator", CONFOUND, says


def _unstarted(_: Campaign, row: CampaignRow) -> Found:
    if not row.valid:
        yield "row without a result", GAP, "no episode is valid: the row has no mean"


def _errors(_: Campaign, row: CampaignRow) -> Found:
    source, samples = row.source, row.samples
    if not isinstance(source, Source) or isinstance(samples, Unknown):
        return
    if row.valid + source.errors != samples:
        says = f"{row.valid} valid and {source.errors} errors are not {samples} samples"
        yield "counts disagree", CONTRADICTION, says
    if len(source.error_tasks) != source.errors:
        says = f"{source.errors} errors, but {len(source.error_tasks)} tasks are named for them"
        yield "counts disagree", CONTRADICTION, says


def _status(_: Campaign, row: CampaignRow) -> Found:
    """Complete if all tasks are valid, partial if some, empty if none."""
    expected = "empty" if not row.valid else "complete" if row.valid >= row.tasks else "partial"
    if not isinstance(row.status, Unknown) and row.status != expected:
        says = f"status is {row.status}, {row.valid} valid of {row.tasks} tasks is {expected}"
        yield "status disagrees", CONTRADICTION, says


def _too_many(_: Campaign, row: CampaignRow) -> Found:
    limit = row.tasks if isinstance(row.samples, Unknown) else row.samples
    if row.valid > limit:
        yield "counts disagree", CONTRADICTION, f"{row.valid} valid of {limit} episodes"


def _range(_: Campaign, row: CampaignRow) -> Found:
    if not isinstance(row.mean, Unknown) and not 0 <= row.mean.value <= 1:
        yield "mean outside [0, 1]", CONTRADICTION, f"the mean is {row.mean.value}"


def _lone_fraction(campaign: Campaign, row: CampaignRow) -> Found:
    """A fraction among binary rows: this row was scored in another way."""
    if scoring(campaign) != MIXED or isinstance(row.total, Unknown) or _is_whole(row.total):
        return
    says = f"the returns sum to {row.total:.2f}, those of the other rows to whole numbers"
    yield "another metric definition", CONFOUND, says


def _paths(campaign: Campaign, row: CampaignRow) -> Found:
    if isinstance(row.artifact_path, Unknown):
        return
    if not row.artifact_path.startswith(f"{campaign.artifact_root}/"):
        says = f"artifact_path {row.artifact_path} is not below {campaign.artifact_root}"
        yield "paths disagree", CONTRADICTION, says
    if row.summary_path != f"{row.artifact_path}/summary.json":
        yield "paths disagree", CONTRADICTION, f"summary_path is {row.summary_path}"


def _mixed_table(campaign: Campaign) -> Iterator[Fault]:
    """Rows of one table that were not measured under the same conditions."""
    for what, values in _conditions(campaign).items():
        if len(values) > 1:
            parts = (f"{text} ({count} rows)" for text, count in values.most_common())
            says = f"rows of one table differ in {what}: {'; '.join(parts)}"
            yield Fault("mixed configurations in one table", CONFOUND, campaign.file, says)
    sizes = Counter(str(row.tasks) for row in campaign.rows)
    if len(sizes) > 1:
        says = f"rows of one table have {', '.join(sizes)} tasks"
        yield Fault("another denominator", CONFOUND, campaign.file, says)


def _conditions(campaign: Campaign) -> dict[str, Counter[str]]:
    sources = [row.source for row in campaign.rows if isinstance(row.source, Source)]
    names = dict.fromkeys(name for source in sources for name in source.environment_overrides)
    found = {
        name: Counter(_shown(source.environment_overrides.get(name)) for source in sources)
        for name in names
    }
    found["launch commit"] = Counter(" + ".join(source.launch_commits) for source in sources)
    return found


def _shown(value: Any) -> str:
    return "not set" if value is None else to_bytes(value).decode().strip()


def _totals_agree(campaign: Campaign) -> Iterator[Fault]:
    if campaign.result_count != len(campaign.rows):
        says = f"result_count is {campaign.result_count}, there are {len(campaign.rows)} rows"
        yield Fault("counts disagree", CONTRADICTION, campaign.file, says)
    if isinstance(campaign.status_counts, Unknown):
        return
    there = Counter(str(row.status) for row in campaign.rows)
    for status in sorted({*there, *campaign.status_counts}):
        said = campaign.status_counts.get(status, 0)
        if said != there[status]:
            says = f"status_counts says {said} {status}, there are {there[status]}"
            yield Fault("counts disagree", CONTRADICTION, campaign.file, says)


def _commits_agree(campaign: Campaign) -> Iterator[Fault]:
    names = [campaign.commit_dir.rpartition("_")[2]]
    if not isinstance(campaign.aggregation_commit, Unknown):
        names.append(campaign.aggregation_commit)
    for name in names:
        if not name.startswith(campaign.short_sha):
            says = f"commit is {campaign.short_sha}, elsewhere {name}"
            yield Fault("commits disagree", CONTRADICTION, campaign.file, says)


def _repeated(campaign: Campaign) -> Iterator[Fault]:
    paths = (r.artifact_path for r in campaign.rows if not isinstance(r.artifact_path, Unknown))
    for path, times in Counter(paths).items():
        if times > 1:
            says = f"{times} rows have the artifacts {path}"
            yield Fault("row repeated", CONTRADICTION, campaign.file, says)


def _gaps(campaign: Campaign) -> Iterator[Fault]:
    """What nobody can look up later."""
    missing = ["sampling parameters", "weights", "versions of the packages"]
    if campaign.variant != RETAINED:
        missing += ["the configuration's hash", "launch commits", "uncommitted changes", "errors"]
    says = f"the log does not record {', '.join(missing)}"
    yield Fault("provenance", GAP, campaign.file, says)
    if scoring(campaign) == FRACTIONAL:
        says = "returns sum to fractions: partial progress counts, and the judge is not recorded"
        yield Fault("metric definition", GAP, campaign.file, says)


def _is_whole(total: float) -> bool:
    return abs(total - round(total)) < _SLACK


_OF_TABLE: tuple[Callable[[Campaign], Iterator[Fault]], ...] = (
    _totals_agree,
    _commits_agree,
    _repeated,
    _mixed_table,
    _gaps,
)
_OF_ROW: tuple[Callable[[Campaign, CampaignRow], Found], ...] = (
    _too_many,
    _range,
    _status,
    _errors,
    _paths,
    _mixed_configs,
    _several_commits,
    _uncommitted,
    _undated,
    _short,
    _lone_fraction,
    _unstarted,
)
