"""Audit what others published: a model card with its claims, or evaluation logs of cua-lite."""

from pathlib import Path
from typing import Any, NamedTuple

from reproof.ground.errors import InputError
from reproof.ground.unknown import Unknown
from reproof.peers.card import read_card
from reproof.peers.claims_file import find_claims, read_claims
from reproof.peers.cualite import Campaign, CampaignRow, read_campaign
from reproof.peers.cualite_faults import changed_metric, faults, scoring
from reproof.render.audit import audit_markdown, audit_text
from reproof.render.campaign import log_markdown, log_text
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


def audit_as(
    path: Path, claims: Path | None, earlier: Path | None, is_markdown: bool = False
) -> Report:
    """Audit a card, or a log, which is JSON, and write it up."""
    if path.suffix != ".json":
        if earlier is not None:
            raise InputError(str(path), "is a card, which has no earlier log", "leave it out")
        card = audit(path, claims)
        words = audit_markdown(card) if is_markdown else audit_text(card)
        return Report(words, card.to_json() | {"exit_code": card.exit_code}, card.exit_code)
    if claims is not None:
        raise InputError(str(path), "is a log, which makes no claims", "leave out the claims")
    log = audit_log(path, earlier)
    words = log_markdown(log) if is_markdown else log_text(log)
    return Report(words, log.to_json() | {"exit_code": log.exit_code}, log.exit_code)


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
