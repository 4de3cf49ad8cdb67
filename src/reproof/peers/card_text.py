"""Statements with numbers in a card's prose, where a pattern can recognise them honestly."""

import re
from collections.abc import Iterator, Sequence

from reproof.peers.card_cells import NUMBER, column, printed
from reproof.peers.card_tables import Line
from reproof.verdict.claims import (
    ONE_EPOCH_RUN,
    ChangeSaid,
    CheckpointSaid,
    Number,
    PercentSaid,
    Place,
    ReductionSaid,
    Remark,
    ScoreSaid,
    WithinSaid,
)

_ARROW = r"\s*(?:->|→|–>)\s*"
_CHANGE = re.compile(
    rf"(?P<metric>[A-Za-z_]+)[\s:]+(?P<before>{NUMBER}){_ARROW}(?P<after>{NUMBER})"
    rf"\s*\(\s*(?P<delta>[+\-−]{NUMBER})\s*\)"
)
_REDUCTION = re.compile(
    rf"(?<![\w.])(?P<before>\d[\d,]*){_ARROW}(?P<after>\d[\d,]*)\s+"
    r"(?P<unit>pairs|rows|examples|samples|trajectories)\b"
)
_PERCENT = re.compile(r"(?<![\w.])(?P<number>\d+(?:\.\d+)?)\s*%")
_CLAUSE = re.compile(r"[;()]|\.\s")
_SCORE = re.compile(r"(?<![\w.])(?P<mean>0?\.\d+)\s*/\s*(?P<success>\d+)(?![\w.])")
_WITHIN = re.compile(r"\bwithin\s+(?P<number>\d*\.\d+)")
_SAME_COUNT = re.compile(r"\bsame (?:success count|number of successes)", re.IGNORECASE)
_CHECKPOINT = re.compile(
    r"\b(?:iter|step|checkpoint)[_\-]0*(?P<iteration>\d+)\s*[(—–\-,]*\s*(?:is\s+)?(?:the\s+)?"
    r"(?:end of\s+)?epoch (?P<epoch>\d+)",
    re.IGNORECASE,
)
_ONE_EPOCH = re.compile(r"\b(?:1|one|single)[- ]epoch run\b", re.IGNORECASE)


def changes(file: str, lines: Sequence[Line]) -> Iterator[ChangeSaid]:
    """`mean_return 0.3758 -> 0.3865 (+0.011)`."""
    for place, found in _matches(_CHANGE, file, lines):
        yield ChangeSaid(
            column(found["metric"]).name,
            _number(found["before"], place),
            _number(found["after"], place),
            _number(found["delta"], place),
        )


def reductions(file: str, lines: Sequence[Line]) -> Iterator[ReductionSaid]:
    """`336 → 276 pairs`."""
    for place, found in _matches(_REDUCTION, file, lines):
        before, after = (_number(found[name], place) for name in ("before", "after"))
        yield ReductionSaid(before, after, found["unit"])


def percents(file: str, lines: Sequence[Line]) -> Iterator[PercentSaid]:
    """Every percentage, with the clause it stands in."""
    for place, found in _matches(_PERCENT, file, lines):
        number = Number(found["number"], place, is_percent=True)
        yield PercentSaid(number, _clause(found.string, found.start(), found.end()))


def withins(file: str, lines: Sequence[Line]) -> Iterator[WithinSaid]:
    """Two scores and their distance in one paragraph; with other numbers of scores, nothing."""
    for line in lines:
        place = Place(file, line.number)
        scores = [
            ScoreSaid(_number(found["mean"], place), _number(found["success"], place))
            for found in _SCORE.finditer(line.text)
        ]
        within = _WITHIN.search(line.text)
        if within and len(scores) == 2:
            said = _number(within["number"], place)
            yield WithinSaid(scores[0], scores[1], said, bool(_SAME_COUNT.search(line.text)))


def checkpoints(file: str, lines: Sequence[Line]) -> Iterator[CheckpointSaid]:
    """`iter_137 (epoch 2`, each once."""
    seen: set[tuple[int, int]] = set()
    for place, found in _matches(_CHECKPOINT, file, lines):
        pair = int(found["iteration"]), int(found["epoch"])
        if pair[1] > 0 and pair not in seen:
            seen.add(pair)
            yield CheckpointSaid(*pair, place)


def remarks(file: str, lines: Sequence[Line]) -> Iterator[Remark]:
    """Sentences that change what may be compared."""
    for place, _ in _matches(_ONE_EPOCH, file, lines):
        yield Remark(ONE_EPOCH_RUN, place)


def _matches(
    pattern: re.Pattern[str], file: str, lines: Sequence[Line]
) -> Iterator[tuple[Place, re.Match[str]]]:
    for line in lines:
        for found in pattern.finditer(line.text):
            yield Place(file, line.number), found


def _number(text: str, place: Place) -> Number:
    return Number(printed(text), place)


def _clause(text: str, start: int, end: int) -> str:
    """The text around a number, up to a semicolon, a bracket or the end of the sentence."""
    before = [found.end() for found in _CLAUSE.finditer(text, 0, start)]
    after = _CLAUSE.search(text, end)
    return text[before[-1] if before else 0 : after.start() if after else len(text)].strip()
