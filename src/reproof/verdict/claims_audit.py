"""A card audited as a whole: rows, changes, bounds, statements, claims, confounds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from reproof.ground.unknown import Unknown, plain
from reproof.scores.ranking import Decomposition
from reproof.verdict.claims import (
    CONDITIONS,
    METRICS,
    ONE_EPOCH_RUN,
    Card,
    ClaimedTable,
    Result,
    Span,
    table_results,
)
from reproof.verdict.claims_bounds import Contrast, contrast
from reproof.verdict.claims_noise import OnePair, one_pair
from reproof.verdict.claims_rows import (
    CONTRADICTS,
    Check,
    RowAudit,
    audit_row,
    check_grid,
    check_row,
    split,
)
from reproof.verdict.claims_rules import rule_on
from reproof.verdict.claims_ruling import Claim, Ruling
from reproof.verdict.claims_statements import check_statements, steps_per_epoch

_ALL_PAIRS_UP_TO = 6


class Step(NamedTuple):
    """The change from one row to the next, in whole tasks."""

    before: Result
    after: Result
    parts: Decomposition


class Bounds(NamedTuple):
    """Two rows: what any pairing allows on each metric, and p by the card's own repeats."""

    before: Result
    after: Result
    mean: Contrast | Unknown
    success: Contrast | Unknown
    by_repeats: float | Unknown


class NoiseFloor(NamedTuple):
    """The only repeats of the card, and what they say."""

    pair: OnePair
    sigma: float | Unknown
    interval: Span | Unknown
    critical: float


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything that could be computed again, and the rulings."""

    card: Card
    rows: tuple[RowAudit, ...]
    steps: tuple[Step, ...]
    bounds: tuple[Bounds, ...]
    noise: NoiseFloor | Unknown
    checks: tuple[Check, ...]
    confounds: tuple[str, ...]
    rulings: tuple[Ruling, ...]
    claims_file: str

    @property
    def contradictions(self) -> int:
        """Rulings, or without claims checks, that contradict the card."""
        wrong = sum(check.outcome == CONTRADICTS for check in self.checks)
        return wrong + sum(ruling.is_contradicted for ruling in self.rulings)

    @property
    def exit_code(self) -> int:
        """1 when something is contradicted."""
        return int(self.contradictions > 0)

    def to_json(self) -> dict[str, Any]:
        """Plain values; the card's text itself is left out."""
        names = ("rows", "steps", "bounds", "noise", "checks", "confounds")
        return {
            "card": self.card.file,
            "card_sha256": self.card.sha256,
            "claims_file": self.claims_file,
            **{name: plain(getattr(self, name)) for name in names},
            "rulings": [ruling.to_json() for ruling in self.rulings],
            "contradictions": self.contradictions,
        }


def audit_card(card: Card, claims: Sequence[Claim] = (), claims_file: str = "") -> Audit:
    """Compute again what can be, and rule on the claims."""
    tables = [table_results(table) for table in card.tables]
    results = [result for table in tables for result in table]
    checks = tuple(_checks(card, tables))
    noise = _noise(claims)
    audited = (audit_row(result) for result in results)
    return Audit(
        card,
        rows=tuple(row for row in audited if isinstance(row, RowAudit)),
        steps=tuple(step for table in tables for step in _steps(table)),
        bounds=tuple(each for table in tables for each in _bounds(table, noise)),
        noise=noise,
        checks=checks,
        confounds=tuple(dict.fromkeys(_confounds(card))),
        rulings=tuple(
            Ruling(claim, tuple(rule_on(part, checks) for part in claim.parts)) for claim in claims
        ),
        claims_file=claims_file,
    )


def _checks(card: Card, tables: Sequence[Sequence[Result]]) -> Iterator[Check]:
    for table in tables:
        for result in table:
            yield from check_row(result)
        yield from check_grid(table)
    yield from check_statements(card, [result for table in tables for result in table])


def _steps(table: Sequence[Result]) -> Iterator[Step]:
    for before, after in pairwise(table):
        parts = split(before, after)
        if isinstance(parts, Decomposition):
            yield Step(before, after, parts)


def _bounds(table: Sequence[Result], noise: NoiseFloor | Unknown) -> Iterator[Bounds]:
    every = combinations(table, 2) if len(table) <= _ALL_PAIRS_UP_TO else pairwise(table)
    for before, after in every:
        mean = contrast(after, before, "mean_return")
        success = contrast(after, before, "success")
        if isinstance(mean, Contrast) or isinstance(success, Contrast):
            yield Bounds(before, after, mean, success, _by_repeats(mean, noise))


def _by_repeats(mean: Contrast | Unknown, noise: NoiseFloor | Unknown) -> float | Unknown:
    if isinstance(noise, Unknown):
        return noise
    return mean if isinstance(mean, Unknown) else noise.pair.p(mean.difference)


def _noise(claims: Sequence[Claim]) -> NoiseFloor | Unknown:
    """The repeats that the claims name; they must be the same ones."""
    named = {part.repeats for claim in claims for part in claim.parts if part.repeats}
    if len(named) != 1:
        why = "the claims name more than one pair of repeats" if named else "no repeats are named"
        return Unknown(why)
    pair = one_pair(*named.pop())
    if isinstance(pair, Unknown):
        return pair
    return NoiseFloor(pair, pair.sigma, pair.interval(), pair.critical(0.05))


def _confounds(card: Card) -> Iterator[str]:
    yield from _horizon(card)
    for table in card.tables:
        yield from _conditions(table)
        if not set(table.columns) & set(METRICS):
            yield f"{table.place}: the table names no metric (columns {', '.join(table.columns)})"
        elif isinstance(table.n, Unknown) and not any("n" in r.conditions for r in table.rows):
            yield f"{table.place}: the denominator of the table is not stated"


def _horizon(card: Card) -> Iterator[str]:
    """Under a schedule that decays to the end, a short run is no copy of a long one's start."""
    longest = max((said.epoch for said in card.checkpoints), default=0)
    steps = steps_per_epoch(card.checkpoints)
    for remark in card.remarks:
        if remark.about == ONE_EPOCH_RUN and longest > 1:
            text = f"{remark.place}: another learning-rate horizon: a standalone run of one epoch "
            text += f"is held against epoch 1 of {longest}; under a decaying schedule "
            text += "these are two recipes"
            if not isinstance(steps, Unknown):
                text += f" ({steps[0]} steps against {steps[0] * longest})"
            yield text


def _conditions(table: ClaimedTable) -> Iterator[str]:
    for name, meaning in CONDITIONS.items():
        values = dict.fromkeys(r.conditions[name] for r in table.rows if name in r.conditions)
        if len(values) > 1:
            yield f"{table.place}: {meaning} in one table: {name} is {', '.join(values)}"
