"""Read the claims a card makes in words, from a YAML file that quotes it.

Every quotation must stand in the card, and every number given for a quotation in
the quotation: the file says what a sentence asserts, never what was measured.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from reproof.ground.errors import InputError
from reproof.ground.files import read_text
from reproof.ground.unknown import Unknown
from reproof.peers.card_cells import bare_text, column, parse_cell
from reproof.peers.marked import Branch, Marked, branch, parse_marked, rows, text_of, texts, whole
from reproof.verdict.claims import (
    METRICS,
    Card,
    Cell,
    ClaimedRow,
    ClaimedTable,
    Place,
    Result,
    row_result,
)
from reproof.verdict.claims_rules import RULES
from reproof.verdict.claims_ruling import Claim, Part, Quote

SCHEMA = "reproof.claims/1"
SHIPPED = Path(__file__).parent / "published"
_TOP = ("schema", "about", "card", "card_sha256", "values", "claims", "negatives")
_VALUE = ("row", "column", "metric", "quote", "n", "experiment", *METRICS)
_PART = ("rule", "label", "metrics", "better", "than", "repeats", "borrowed", "paired")
_NEEDED = {"beyond-noise": 2, "small-noise": 2, "greater": 2, "best": 2, "differ": 1}
"""How many of `better` and `than` a rule needs."""


def find_claims(card: Card, path: Path) -> Path | None:
    """The claims beside the card (`NAME.claims.yaml`), else shipped ones for these very bytes."""
    beside = path.with_name(f"{path.stem}.claims.yaml")
    if beside.is_file():
        return beside
    for shipped in sorted(SHIPPED.glob("*.yaml")):
        top = branch(parse_marked(str(shipped), read_text(shipped)))
        if "card_sha256" in top.items and card.sha256 in texts(top.items["card_sha256"]):
            return shipped
    return None


def read_claims(path: Path, card: Card) -> tuple[Claim, ...]:
    """The claims of a file about a card; InputError names the line that breaks a rule."""
    parsed = parse_marked(str(path), read_text(path))
    top = branch(parsed, _TOP, ("schema", "claims"))
    if text_of(top.items["schema"]) != SCHEMA:
        _refuse(top.items["schema"], f"must be {SCHEMA}", "write it so")
    values = branch(top.items["values"]).items if "values" in top.items else {}
    reader = _Reader(card, {name: _result(card, name, value) for name, value in values.items()})
    return tuple(reader.claim(each) for each in rows(top.items["claims"]))


@dataclass(frozen=True, slots=True)
class _Reader:
    """A card, and the results that its claims may name."""

    card: Card
    results: dict[str, Result]

    def claim(self, value: Marked) -> Claim:
        """One claim, with its parts or with a single one written in line."""
        top = branch(value, ("claim", "says", "parts", *_PART), ("claim", "says"))
        quotes = tuple(quote_in(self.card, top.items["says"], text) for text in _says(top))
        parts = rows(top.items["parts"]) if "parts" in top.items else [_inline(top)]
        return Claim(text_of(top.items["claim"]), quotes, tuple(self.part(each) for each in parts))

    def part(self, value: Marked) -> Part:
        """One testable assertion."""
        top = branch(value, _PART, ("rule",))
        rule = text_of(top.items["rule"])
        if rule not in RULES:
            _refuse(top.items["rule"], f"{rule!r} is no rule", f"use {', '.join(RULES)}")
        part = Part(
            rule=rule,
            label=text_of(top.items["label"]) if "label" in top.items else "",
            metrics=self._metrics(top),
            better=self._named(top, "better"),
            than=self._named(top, "than"),
            repeats=self._named(top, "repeats"),
            borrowed=self._named(top, "borrowed"),
            paired="paired" in top.items and text_of(top.items["paired"]) == "true",
        )
        if sum(map(bool, (part.better, part.than))) < _NEEDED.get(rule, 0):
            _refuse(value, f"{rule} needs what to compare", "name it in `better` and `than`")
        if part.repeats and len(part.repeats) != 2:
            _refuse(top.items["repeats"], "must name two runs", "name two")
        return part

    def _metrics(self, top: Branch) -> tuple[str, ...]:
        if "metrics" not in top.items:
            return ("mean_return",)
        found = texts(top.items["metrics"])
        for name in found:
            if name not in METRICS:
                _refuse(top.items["metrics"], f"{name!r} is no metric", f"use {', '.join(METRICS)}")
        return found

    def _named(self, top: Branch, key: str) -> tuple[Result, ...]:
        names = texts(top.items[key]) if key in top.items else ()
        for name in names:
            if name not in self.results:
                known = ", ".join(self.results) or "none"
                _refuse(top.items[key], f"{name!r} is not among the values", f"there: {known}")
        return tuple(self.results[name] for name in names)


def _says(top: Branch) -> tuple[str, ...]:
    return texts(top.items["says"])


def _inline(top: Branch) -> Branch:
    return replace(top, items={key: top.items[key] for key in _PART if key in top.items})


def _result(card: Card, name: str, value: Marked) -> Result:
    top = branch(value, _VALUE)
    if ("row" in top.items) == ("quote" in top.items):
        _refuse(value, "must name either a row or a quote", "give one of them")
    return _from_quote(card, name, top) if "quote" in top.items else _from_row(card, name, top)


def _from_row(card: Card, name: str, top: Branch) -> Result:
    label = text_of(top.items["row"])
    found = [(table, row) for table in card.tables for row in table.rows if row.label == label]
    if len(found) != 1:
        rule = f"the card has {len(found)} rows named {label!r}"
        _refuse(top.items["row"], rule, "write the label as in the card")
    table, row = found[0]
    if "column" not in top.items:
        return replace(row_result(table, row), name=name)
    return _from_cell(name, table, row, top)


def _from_cell(name: str, table: ClaimedTable, row: ClaimedRow, top: Branch) -> Result:
    """A cell of a table that does not say what it measures; the file must."""
    head = text_of(top.items["column"])
    if head not in row.cells:
        _refuse(top.items["column"], f"there is no column {head!r}", f"use {', '.join(row.cells)}")
    metric = text_of(top.items["metric"]) if "metric" in top.items else "mean_return"
    cells: dict[str, Cell] = {each: Unknown(f"the table gives no {each}") for each in METRICS}
    if metric not in cells:
        _refuse(top.items["metric"], f"{metric!r} is no metric", f"use {', '.join(METRICS)}")
    cells[metric] = row.cells[head]
    # the column tells two results of one row apart
    place = row.place
    return Result(name, table.title, place, table.n, **cells)


def _from_quote(card: Card, name: str, top: Branch) -> Result:
    quote = quote_in(card, top.items["quote"], text_of(top.items["quote"]))
    cells: dict[str, Cell] = {}
    for metric in METRICS:
        if metric not in top.items:
            cells[metric] = Unknown(f"the sentence gives no {metric}")
            continue
        item = top.items[metric]
        if text_of(item) not in quote.text:
            _refuse(item, f"{text_of(item)} does not stand in the quotation", "quote all of it")
        cells[metric] = parse_cell(text_of(item), column(metric), quote.place)[0]
    n = whole(top.items["n"]) if "n" in top.items else Unknown("the sentence names no n")
    experiment = text_of(top.items["experiment"]) if "experiment" in top.items else name
    return Result(name, experiment, quote.place, n, **cells)


def quote_in(card: Card, item: Marked, text: str) -> Quote:
    """A sentence with its place. Spaces and bold marks may differ; words and digits may not."""
    words = bare_text(text).split()
    pattern = re.compile(r"[\s*`_]+".join(re.escape(word) for word in words))
    found = pattern.search(card.text)
    if not found:
        _refuse(item, f"the card does not say {text!r}", "quote it word for word")
    return Quote(" ".join(words), Place(card.file, card.text.count("\n", 0, found.start()) + 1))


def _refuse(item: Marked, rule: str, way_out: str) -> NoReturn:
    raise InputError(str(item.place), rule, way_out)
