"""Tables in a card's text: tab-separated lines, and Markdown's pipes."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.peers.card_cells import (
    Column,
    bare_text,
    column,
    is_missing,
    looks_numeric,
    parse_cell,
)
from reproof.verdict.claims import Cell, ClaimedRow, ClaimedTable, Place

_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*")
_PIPE = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"\s*(```|~~~)")
_N = re.compile(
    r"\b(?:all|over|on|of|across|n\s*=)\s+(\d+)\s+(?:\w+\s+)?(?:tasks|episodes)\b", re.IGNORECASE
)
_HEADING_LENGTH = 90
_NO_N = Unknown("the card does not say how many tasks were run")


class Line(NamedTuple):
    """A line of the card and its number from 1."""

    number: int
    text: str


def prose_and_tables(file: str, lines: Sequence[Line]) -> tuple[list[Line], list[ClaimedTable]]:
    """The lines that belong to no table and no code block, and the tables of results."""
    prose: list[Line] = []
    tables: list[ClaimedTable] = []
    for block in _blocks(lines):
        cells = _cells(file, block)
        if not cells:
            prose += [line for line in block if not _FENCE.match(block[0].text)]
            continue
        table = _table(file, block, cells, prose)
        tables += [table] if table else []
    return prose, tables


def _blocks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Runs of lines that may be a table, code blocks, and single lines of prose."""
    block: list[Line] = []
    fenced = False
    for line in lines:
        if fenced or _FENCE.match(line.text):
            if not fenced and block:
                yield block
                block = []
            fenced = fenced != bool(_FENCE.match(line.text))
            block.append(line)
            if not fenced:
                yield block
                block = []
        elif _is_tabled(line.text):
            block.append(line)
        else:
            if block:
                yield block
            block = []
            yield [line]
    if block:
        yield block


def _is_tabled(text: str) -> bool:
    return "\t" in text.strip() or ("|" in text and bool(text.strip()))


def _cells(file: str, block: Sequence[Line]) -> list[tuple[Line, list[str]]]:
    """Header and rows as texts; nothing when the block is no table."""
    if len(block) < 2 or _FENCE.match(block[0].text):
        return []
    if "\t" in block[0].text.strip():
        split = [(line, [cell.strip() for cell in line.text.split("\t")]) for line in block]
    elif _RULE.fullmatch(block[1].text):
        split = [(line, _piped(line.text)) for line in (block[0], *block[2:])]
    else:
        return []
    width = len(split[0][1])
    for line, cells in split[1:]:
        if len(cells) != width:
            rule = f"the row has {len(cells)} cells, the header {width}"
            raise InputError(str(Place(file, line.number)), rule, "mend the table")
    return split


def _piped(text: str) -> list[str]:
    inner = text.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.replace("\\|", "|").strip() for cell in _PIPE.split(inner)]


def _table(
    file: str,
    block: Sequence[Line],
    cells: Sequence[tuple[Line, list[str]]],
    before: Sequence[Line],
) -> ClaimedTable | None:
    """A table that holds results: a metric it names, or at least two columns of numbers."""
    columns = [column(header) for header in cells[0][1]]
    used = [i for i in range(1, len(columns)) if _is_used(columns[i], [c[i] for _, c in cells[1:]])]
    if not any(columns[i].is_metric for i in used) and len(used) < 2:
        return None
    title, n = _context(before)
    rows = tuple(make_row(file, line, texts, columns, used) for line, texts in cells[1:])
    names = tuple(columns[i].name for i in used if not columns[i].is_condition)
    return ClaimedTable(title, names, rows, n, Place(file, block[0].number))


def _is_used(kind: Column, texts: Sequence[str]) -> bool:
    if kind.is_metric or kind.is_condition:
        return True
    return all(map(looks_numeric, texts)) and not all(map(is_missing, texts))


def make_row(
    file: str, line: Line, texts: Sequence[str], columns: Sequence[Column], used: Sequence[int]
) -> ClaimedRow:
    """One row; the first cell is its label."""
    place = Place(file, line.number)
    cells: dict[str, Cell] = {}
    conditions: dict[str, str] = {}
    for i in used:
        kind = columns[i]
        if kind.is_condition:
            conditions[kind.name] = bare_text(texts[i])
            continue
        cells[kind.name], n = parse_cell(texts[i], kind, place)
        if n is not None:
            conditions["n"] = str(n)
    return ClaimedRow(bare_text(texts[0]), cells, place, conditions)


def _context(before: Sequence[Line]) -> tuple[str, int | Unknown]:
    """The heading a table stands under, and the number of tasks named between the two."""
    headings = (i for i in range(len(before) - 1, -1, -1) if _is_heading(before, i))
    start = next(headings, None)
    found = _N.findall("\n".join(line.text for line in before[start or 0 :]))
    title = "" if start is None else before[start].text.lstrip("# ").strip()
    return title, int(found[-1]) if found else _NO_N


def _is_heading(lines: Sequence[Line], position: int) -> bool:
    """`# so`, or in plain text a short line of its own that is no sentence."""
    text = lines[position].text
    if text.startswith("#"):
        return True
    alone = all(
        not 0 <= i < len(lines)
        or abs(lines[i].number - lines[position].number) > 1
        or not lines[i].text.strip()
        for i in (position - 1, position + 1)
    )
    short = 0 < len(text.strip()) <= _HEADING_LENGTH
    return alone and short and not text[0].isspace() and text.strip()[-1] not in ".:;,%"
