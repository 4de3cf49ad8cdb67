"""Audit what others published: a model card with its claims, or evaluation logs of cua-lite."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from reproof.flow.negatives import negatives
from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.peers.card import read_card
from reproof.peers.claims_file import find_claims, read_claims
from reproof.peers.cualite import Campaign, CampaignRow, read_campaign
from reproof.peers.cualite_faults import changed_metric, faults, scoring
from reproof.render.audit import audit_markdown, audit_text
from reproof.render.campaign import log_markdown, log_text
from reproof.render.negatives import negatives_markdown, negatives_text
from reproof.verdict.campaign import Fault, LogAudit, LogRow
from reproof.verdict.claims_audit import Audit, audit_card
from reproof.verdict.claims_ruling import Claim


def audit(path: Path, claims: Path | None = None) -> Audit:
    """Compute a card's numbers again and rule on its claims.

    `claims` is a file that puts the card's words in a testable form; by default
    the one beside the card, or one shipped for exactly this card.
    """
    card = read_card(path)
    chosen = claims or find_claims(card, path)
    if chosen is None:
        return audit_card(card)
    read: tuple[Claim, ...] = read_claims(chosen, card)
    return audit_card(card, read, chosen.name)


def audit_log(path: Path, earlier: Path | None = None) -> LogAudit:
    """The faults of a log; with an `earlier` one of the same environment, a changed metric too."""
    campaign = read_campaign(path)
    found = faults(campaign)
    if earlier is not None:
        found = (*_changed(read_campaign(earlier), campaign), *found)
    return LogAudit(
        file=campaign.file,
        sha256=campaign.sha256,
        env=campaign.env,
        variant=campaign.variant,
        definition=_definition(campaign),
        scoring=scoring(campaign),
        rows=tuple(_row(row) for row in campaign.rows),
        faults=found,
    )


class Report(NamedTuple):
    """What is said about a card or a log, in words and as data, and the exit code."""

    text: str
    value: dict[str, Any]
    code: int


class Asked(NamedTuple):
    """What was given besides the card: claims, an earlier log, runs of ours by arm."""

    claims: Path | None = None
    earlier: Path | None = None
    negatives: Mapping[str, Path] = MappingProxyType({})


def audit_as(path: Path, asked: Asked, is_markdown: bool = False) -> Report:
    """Audit a card, or a log, which is JSON, and write it up."""
    is_log = path.suffix == ".json"
    if is_log and (asked.claims or asked.negatives):
        raise InputError(str(path), "is a log, which makes no claims", "audit it by itself")
    if not is_log and asked.earlier:
        raise InputError(str(path), "is a card, which has no earlier log", "leave it out")
    write = _log_report if is_log else _card_report
    return write(path, asked, is_markdown)


def _card_report(path: Path, asked: Asked, is_markdown: bool) -> Report:
    found = audit(path, asked.claims)
    words = audit_markdown(found) if is_markdown else audit_text(found)
    value = found.to_json() | {"exit_code": found.exit_code}
    if asked.negatives:
        beside = negatives(path, asked.negatives, asked.claims)
        words += "\n" + (negatives_markdown(beside) if is_markdown else negatives_text(beside))
        value["negatives"] = beside.to_json()
    return Report(words, value, found.exit_code)


def _log_report(path: Path, asked: Asked, is_markdown: bool) -> Report:
    found = audit_log(path, asked.earlier)
    words = log_markdown(found) if is_markdown else log_text(found)
    return Report(words, found.to_json() | {"exit_code": found.exit_code}, found.exit_code)


def _changed(older: Campaign, newer: Campaign) -> tuple[Fault, ...]:
    if older.env != newer.env:
        rule = f"is of {older.env}, the other log of {newer.env}"
        raise InputError(older.file, rule, "give two logs of one environment")
    return changed_metric(older, newer)


def _definition(campaign: Campaign) -> str:
    known = [row.mean for row in campaign.rows if not isinstance(row.mean, Unknown)]
    return known[0].definition if known else "no row has a mean"


def _row(row: CampaignRow) -> LogRow:
    total = row.total
    if isinstance(row.mean, Unknown) or isinstance(total, Unknown):
        return LogRow(row.model, None, row.valid, row.tasks, None, None)
    return LogRow(row.model, row.mean.value, row.valid, row.tasks, total / row.tasks, total)
