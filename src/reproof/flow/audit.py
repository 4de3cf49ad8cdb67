"""Audit what others published: a model card with its claims, or an evaluation log of cua-lite."""

from pathlib import Path

from reproof.peers.card import read_card
from reproof.peers.claims_file import find_claims, read_claims
from reproof.verdict.claims_audit import Audit, audit_card


def audit(path: Path, claims: Path | None = None) -> Audit:
    """Compute a card's numbers again and rule on its claims.

    `claims` is a file that puts the card's words in a testable form; by default
    the one beside the card, or one shipped for exactly this card.
    """
    card = read_card(path)
    chosen = claims or find_claims(card, path)
    if chosen is None:
        return audit_card(card)
    return audit_card(card, read_claims(chosen, card), str(chosen.name))
