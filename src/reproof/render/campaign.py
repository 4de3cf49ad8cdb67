"""The audit of an evaluation log as text or Markdown."""

from collections import Counter

from reproof.render.sheet import Sheet, aligned, piped
from reproof.verdict.campaign import CONFOUND, CONTRADICTION, GAP, LogAudit

_WEIGHTS = (CONTRADICTION, CONFOUND, GAP)


def log_text(audit: LogAudit) -> str:
    """For a terminal."""
    lines = [_headline(audit), f"  each mean: {audit.definition}", ""]
    for sheet in _sheets(audit):
        lines += [sheet.title, *aligned(sheet), ""]
    return "\n".join(lines[:-1]) + "\n"


def log_markdown(audit: LogAudit) -> str:
    """For a pull request or a page."""
    parts = [f"**{_headline(audit)}**", f"Each mean: {audit.definition}."]
    for sheet in _sheets(audit):
        parts += [f"## {sheet.title}", piped(sheet.head, sheet.rows)]
    return "\n\n".join(parts) + "\n"


def _headline(audit: LogAudit) -> str:
    found = Counter(fault.weight for fault in audit.faults)
    counts = ", ".join(f"{found[weight]} {weight}" for weight in _WEIGHTS if found[weight])
    return (
        f"{audit.file}: {len(audit.rows)} rows of {audit.env}, {audit.variant} log, "
        f"{audit.scoring} scores; faults: {counts or 'none'}"
    )


def _sheets(audit: LogAudit) -> list[Sheet]:
    order = sorted(audit.faults, key=lambda fault: _WEIGHTS.index(fault.weight))
    faults = tuple(
        (f.weight, f.kind, f.where.removeprefix(f"{audit.file}, "), f.says) for f in order
    )
    rows = tuple(
        (
            row.model,
            "-" if row.mean is None else f"{row.mean:.4f}",
            f"{row.valid} of {row.tasks}",
            "-" if row.mean_over_all is None else f"{row.mean_over_all:.4f}",
            "-" if row.total is None else f"{row.total:.2f}",
        )
        for row in audit.rows
    )
    head = ("model", "mean over valid", "valid", "mean over all", "sum")
    sheets = (Sheet("Faults", ("weight", "fault", "at", "what"), faults), Sheet("Rows", head, rows))
    return [sheet for sheet in sheets if sheet.rows]
