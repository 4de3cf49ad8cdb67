"""A table with a title, aligned for a terminal or as Markdown."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Sheet(NamedTuple):
    """The same cells for text and for Markdown."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def aligned(sheet: Sheet) -> Iterator[str]:
    """Lines with columns of equal width."""
    table = (sheet.head, *sheet.rows)
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    for cells in table:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        yield f"  {'  '.join(padded)}".rstrip()


def piped(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; pipes in cells are escaped."""
    lines = (head, ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
