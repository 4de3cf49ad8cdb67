"""Headers and cells of a results table: names, numbers, missing marks."""

import re
from typing import NamedTuple, NoReturn

from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.verdict.claims import CONDITIONS, COUNTS, METRICS, Cell, Number, Place

NUMBER = r"[+\-−]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))(?:[eE][+\-]?\d+)?"
_CELL = re.compile(
    rf"(?P<number>{NUMBER})\s*(?P<percent>%)?\s*(?:/\s*(?P<n>\d+))?"
    r"\s*(?:\(?(?:±|\+/-)[^)]*\)?)?(?:\s*\([^)]*\))?"
)
_MISSING = frozenset(("", "-", "–", "—", "n/a", "na", "none", "?", "tbd"))
_NO_NUMBER = re.compile(r"[+\-]?(?:nan|inf|infinity)", re.IGNORECASE)
_LEFT_OUT = Unknown("the card leaves it out")
_ALIASES = {
    "mean_return": ("mean_return", "mean_episode_return", "avg_return", "average_return"),
    "success": ("success", "successes", "solved", "n_success"),
    "success_rate": ("success_rate", "sr", "solve_rate"),
    "partial": ("partial", "partials", "partial_credit_count"),
    "n": ("n", "tasks", "n_tasks", "num_tasks", "episodes"),
}
_NAMES = {alias: name for name, aliases in _ALIASES.items() for alias in aliases}
_MARKUP = re.compile(r"\*\*|`|~~|(?<!\w)[*_]|[*_](?!\w)")


class Column(NamedTuple):
    """A column: the name it is known under, and whether its header promises percentages."""

    name: str
    is_percent: bool

    @property
    def is_metric(self) -> bool:
        """A metric that can be recomputed, so that each cell must be a number or missing."""
        return self.name in METRICS

    @property
    def is_condition(self) -> bool:
        """Says under what the row was measured."""
        return self.name in CONDITIONS


def column(header: str) -> Column:
    """`Success (=1.0)` is success, `success rate (%)` is success_rate in percent."""
    bare = bare_text(header)
    base = re.sub(r"\([^)]*\)", "", bare)
    base = re.sub(r"[↑↓%]", "", base).strip().lower()
    name = re.sub(r"[\s\-]+", "_", base)
    return Column(_NAMES.get(name, name or bare.strip()), "%" in bare)


def bare_text(text: str) -> str:
    """Without Markdown's bold, italics and code marks."""
    return _MARKUP.sub("", text).strip()


def is_missing(text: str) -> bool:
    """A mark that stands for no value."""
    return bare_text(text).lower() in _MISSING


def parse_cell(text: str, kind: Column, place: Place) -> tuple[Cell, int | None]:
    """A number and, for `72/256`, its denominator. InputError for text, NaN and the impossible."""
    bare = bare_text(text)
    if is_missing(bare):
        return _LEFT_OUT, None
    if _NO_NUMBER.fullmatch(bare):
        _refuse(place, f"{kind.name} is {bare}, which is no number", "leave it out, or measure it")
    found = _CELL.fullmatch(bare)
    if not found or not re.search(r"\d", found["number"]):
        _refuse(place, f"{kind.name} is {_short(bare)!r}, must be a number", "mend the table")
    number = _number(found["number"], kind, bool(found["percent"]), place)
    return number, int(found["n"]) if found["n"] else None


def looks_numeric(text: str) -> bool:
    """Whether a cell of a column without a known name holds a number or nothing."""
    found = _CELL.fullmatch(bare_text(text))
    return is_missing(text) or bool(found and re.search(r"\d", found["number"]))


def printed(text: str) -> str:
    """Digits that Python reads: no thousands marks, an ASCII minus."""
    return text.replace(",", "").replace("−", "-")


def _number(text: str, kind: Column, percent: bool, place: Place) -> Number:
    plain = printed(text)
    if len(plain) > 40:
        _refuse(place, f"{kind.name} has {len(plain)} digits", "mend the table")
    is_rate = kind.name == "success_rate"
    # a rate above 1 without a sign can only be a percentage
    percent = percent or (kind.is_percent and is_rate) or (is_rate and float(plain) > 1)
    number = Number(plain, place, percent)
    if percent and not 0 <= number.value <= 100:
        _refuse(place, f"{kind.name} is {number}, must lie in 0 to 100 %", "mend the table")
    if not percent and kind.name in COUNTS and (not number.is_whole or number.value < 0):
        _refuse(place, f"{kind.name} is {plain}, must be a count", "mend the table")
    return number


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _refuse(place: Place, rule: str, way_out: str) -> NoReturn:
    raise InputError(str(place), rule, way_out)
