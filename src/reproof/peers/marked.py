"""YAML in which every scalar keeps its printed text and its line.

`0.2140` read as a float has lost the zero that says how it was rounded.
"""

from dataclasses import dataclass
from typing import NoReturn

import yaml

from reproof.ground.errors import InputError
from reproof.verdict.claims import Place


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar as it is written."""

    text: str
    place: Place
    is_null: bool = False


@dataclass(frozen=True, slots=True)
class Branch:
    """A mapping."""

    items: dict[str, "Marked"]
    place: Place


@dataclass(frozen=True, slots=True)
class Row:
    """A sequence."""

    items: list["Marked"]
    place: Place


Marked = Leaf | Branch | Row


def parse_marked(file: str, text: str, skipped_lines: int = 0) -> Marked:
    """Parse; InputError for what is not YAML, repeats a key or uses aliases.

    `skipped_lines` stand before `text` in the file.
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise InputError(file, f"is not YAML ({' '.join(str(error).split())})", "mend it") from None
    except RecursionError:
        raise InputError(file, "is nested too deeply", "flatten it") from None
    if node is None:
        return Branch({}, Place(file, 1 + skipped_lines))
    return _Marker(file, skipped_lines).mark(node)


class _Marker:
    """Walks the nodes of one file."""

    def __init__(self, file: str, skipped_lines: int) -> None:
        self._file, self._skipped = file, skipped_lines
        self._seen: set[int] = set()

    def mark(self, node: yaml.Node) -> Marked:
        place = Place(self._file, node.start_mark.line + 1 + self._skipped)
        if isinstance(node, yaml.ScalarNode):
            return Leaf(str(node.value), place, node.tag == "tag:yaml.org,2002:null")
        if id(node) in self._seen:  # a few aliases of aliases can stand for gigabytes
            _refuse(place, "uses an alias", "write the value out")
        self._seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            return Row([self.mark(item) for item in node.value], place)
        branch: dict[str, Marked] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in branch:
                _refuse(place, "repeats a key, or has one that is no text", "name each key once")
            branch[str(key.value)] = self.mark(value)
        return Branch(branch, place)


def branch(value: Marked, names: tuple[str, ...] = (), needed: tuple[str, ...] = ()) -> Branch:
    """A mapping with no keys but `names` (any, if there are none) and with all of `needed`."""
    if not isinstance(value, Branch):
        _refuse(value.place, "must be a mapping", "write `key: value`")
    for name in needed:
        if name not in value.items:
            _refuse(value.place, f"lacks {name!r}", "add it")
    for name, item in value.items.items():
        if names and name not in names:
            _refuse(item.place, f"{name!r} does not belong here", f"use {', '.join(names)}")
    return value


def rows(value: Marked) -> list[Marked]:
    """The items of a sequence."""
    if not isinstance(value, Row):
        _refuse(value.place, "must be a list", "write `- item`")
    return value.items


def text_of(value: Marked) -> str:
    """A scalar that is not empty."""
    if not isinstance(value, Leaf) or value.is_null or not value.text.strip():
        _refuse(value.place, "must be a text that is not empty", "write it out")
    return value.text


def texts(value: Marked) -> tuple[str, ...]:
    """One text, or a list of them."""
    items = value.items if isinstance(value, Row) else [value]
    return tuple(text_of(item) for item in items)


def whole(value: Marked) -> int:
    """A whole number above 0."""
    written = text_of(value)
    if not written.isdecimal() or int(written) < 1:
        _refuse(value.place, f"is {written!r}, must be a whole number above 0", "write digits")
    return int(written)


def _refuse(place: Place, rule: str, way_out: str) -> NoReturn:
    raise InputError(str(place), rule, way_out)
