"""Read a model card: plain text, Markdown, Hugging Face front matter, or our own YAML form."""

import re
from pathlib import Path

from reproof.ground.errors import InputError
from reproof.ground.files import disk_errors, read_text, sha256_file
from reproof.peers import card_text
from reproof.peers.card_structured import SCHEMA, index_tables, own_tables
from reproof.peers.card_tables import Line, prose_and_tables
from reproof.peers.marked import Branch, Leaf, Marked, parse_marked
from reproof.verdict.claims import Card, ClaimedTable

_LARGEST = 4 << 20
_YAML = (".yaml", ".yml")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?\n)---[ \t]*(?:\n|$)", re.DOTALL)
_KNOWN = "tab-separated and Markdown tables, model-index front matter, or our YAML form"


def read_card(path: Path, name: str = "") -> Card:
    """Everything that is recognised; InputError for what is no card or holds no numbers.

    `name` is what places are printed with, by default the path as given.
    """
    file = name or str(path)
    text = _text(path)
    if path.suffix in _YAML:
        return _card(file, path, text, _own(file, text), [])
    front = _FRONT_MATTER.match(text)
    skipped = front.group().count("\n") if front else 0
    numbered = enumerate(text.splitlines(), start=1)
    lines = [Line(number, line) for number, line in numbered if number > skipped]
    tables = _index(file, front.group(1)) if front else []
    return _card(file, path, text, tables, lines)


def _text(path: Path) -> str:
    if path.is_dir():
        raise InputError(str(path), "is a folder", "name a card in it")
    if path.is_file():
        with disk_errors(path):
            size = path.stat().st_size
        if size > _LARGEST:
            rule = f"has {size / 1e6:.0f} MB, a card has at most {_LARGEST / 1e6:.0f}"
            raise InputError(str(path), rule, "check the path")
    text = read_text(path)
    if "\0" in text:
        raise InputError(str(path), "is not text", "check the path")
    if not text.strip():
        raise InputError(str(path), "is empty", "check the path")
    return text


def _card(file: str, path: Path, text: str, tables: list[ClaimedTable], lines: list[Line]) -> Card:
    prose, printed = prose_and_tables(file, lines)
    # checkpoints are named in tables too; the other statements would be read twice there
    card = Card(
        file,
        sha256_file(path),
        text,
        tables=(*tables, *printed),
        changes=tuple(card_text.changes(file, prose)),
        reductions=tuple(card_text.reductions(file, prose)),
        percents=tuple(card_text.percents(file, prose)),
        withins=tuple(card_text.withins(file, prose)),
        checkpoints=tuple(card_text.checkpoints(file, lines)),
        remarks=tuple(card_text.remarks(file, prose)),
    )
    if not (card.tables or card.changes or card.reductions or card.withins or card.checkpoints):
        raise InputError(file, "holds no results that can be checked", f"known: {_KNOWN}")
    return card


def _own(file: str, text: str) -> list[ClaimedTable]:
    parsed = parse_marked(file, text)
    schema = parsed.items.get("schema") if isinstance(parsed, Branch) else None
    if not isinstance(schema, Leaf) or schema.text != SCHEMA:
        raise InputError(file, f"is no card: its schema must be {SCHEMA}", "see docs/audit.md")
    return own_tables(parsed)


def _index(file: str, front_matter: str) -> list[ClaimedTable]:
    """Front matter without results is common, and no error."""
    if "model-index" not in front_matter:
        return []
    parsed: Marked = parse_marked(file, front_matter, skipped_lines=1)
    if not isinstance(parsed, Branch) or "model-index" not in parsed.items:
        return []
    return list(index_tables(parsed))
