"""The part of a claims file that says where a card gives the ablation of the rejected side."""

from pathlib import Path
from typing import NoReturn

from reproof.ground.errors import InputError
from reproof.ground.files import read_text
from reproof.ground.unknown import Unknown
from reproof.peers.card_cells import Column, parse_cell
from reproof.peers.claims_file import quote_in
from reproof.peers.marked import Branch, Marked, branch, parse_marked, text_of, whole
from reproof.verdict.claims import Card, ClaimedRow, Number
from reproof.verdict.claims_ruling import Quote
from reproof.verdict.negatives import Arm, ArmEpoch

_ARM = ("row", "median_loss", "saturated")


def read_published_arms(path: Path, card: Card) -> tuple[Quote, tuple[Arm, ...]]:
    """The arms as the card has them; InputError when the file or the card has none."""
    top = branch(parse_marked(str(path), read_text(path)))
    if "negatives" not in top.items:
        raise InputError(str(path), "describes no ablation of negatives", "add `negatives`")
    section = branch(top.items["negatives"], ("says", "arms"), ("says", "arms"))
    quote = quote_in(card, section.items["says"], text_of(section.items["says"]))
    arms = branch(section.items["arms"]).items
    return quote, tuple(_arm(card, quote, name, value) for name, value in arms.items())


def _arm(card: Card, quote: Quote, name: str, value: Marked) -> Arm:
    top = branch(value, _ARM, ("row",))
    row = _row(card, top.items["row"])
    means = {int(head[2:]): cell for head, cell in row.cells.items() if _is_epoch(head)}
    losses = _said(quote, top, "median_loss")
    shares = _said(quote, top, "saturated")
    none = Unknown("the card does not give it")
    epochs = tuple(
        ArmEpoch(epoch, means.get(epoch, none), losses.get(epoch, none), shares.get(epoch, none))
        for epoch in sorted({*means, *losses, *shares})
    )
    return Arm(name, row.label, epochs)


def _row(card: Card, item: Marked) -> ClaimedRow:
    label = text_of(item)
    found = [row for table in card.tables for row in table.rows if row.label == label]
    if len(found) != 1:
        _refuse(item, f"the card has {len(found)} rows named {label!r}")
    return found[0]


def _is_epoch(head: str) -> bool:
    """Columns of such a table are called ep1, ep2, ep3."""
    return head.startswith("ep") and head[2:].isdecimal()


def _said(quote: Quote, top: Branch, key: str) -> dict[int, Number]:
    if key not in top.items:
        return {}
    said = branch(top.items[key], ("epoch", "value"), ("epoch", "value"))
    text = text_of(said.items["value"])
    if text not in quote.text:
        _refuse(said.items["value"], f"{text} does not stand in the quotation")
    number, _ = parse_cell(text, Column(key, is_percent=False), quote.place)
    return {whole(said.items["epoch"]): number} if isinstance(number, Number) else {}


def _refuse(item: Marked, rule: str) -> NoReturn:
    raise InputError(str(item.place), rule, "write it as in the card")
