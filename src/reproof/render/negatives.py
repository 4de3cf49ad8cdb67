"""The ablation of the rejected side as a table, the card's numbers beside ours."""

from collections.abc import Iterator

from reproof.ground.unknown import Unknown
from reproof.render.sheet import Sheet, aligned, piped
from reproof.scores.signals import Share
from reproof.verdict.claims import Number
from reproof.verdict.negatives import NOTE, Arm, Negatives, value_of

_TITLE = "Negatives: whose rollouts are rejected"
_NONE = "-"
_HEAD = ("epoch", "number")


def negatives_text(negatives: Negatives) -> str:
    """For a terminal."""
    sheet = negatives_sheet(negatives)
    return "\n".join((sheet.title, *aligned(sheet), f"  {sheet.note}")) + "\n"


def negatives_markdown(negatives: Negatives) -> str:
    """For a page."""
    sheet = negatives_sheet(negatives)
    return "\n\n".join((f"## {sheet.title}", piped(sheet.head, sheet.rows), sheet.note)) + "\n"


def negatives_sheet(negatives: Negatives) -> Sheet:
    """A row an epoch and number; the card's arms and their difference, then ours."""
    sides = (("card", negatives.published), ("ours", negatives.ours))
    head = tuple(
        cell
        for side, arms in sides
        for cell in (*(f"{side} {arm.name}" for arm in arms), *_versus(side, arms))
    )
    rows = tuple(
        (str(epoch), kind, *(cell for _, arms in sides for cell in _cells(arms, epoch, kind)))
        for epoch in negatives.epochs
        for kind in ("mean return", "median loss", "saturated steps")
    )
    return Sheet(_TITLE, (*_HEAD, *head), rows, NOTE)


def _versus(side: str, arms: tuple[Arm, ...]) -> Iterator[str]:
    if len(arms) == 2:
        yield f"{side} {arms[0].name} - {arms[1].name}"


def _cells(arms: tuple[Arm, ...], epoch: int, kind: str) -> Iterator[str]:
    yield from (_cell(arm, epoch, kind) for arm in arms)
    if len(arms) == 2:
        yield _difference(arms[0], arms[1], epoch) if kind == "mean return" else ""


def _cell(arm: Arm, epoch: int, kind: str) -> str:
    at = arm.at(epoch)
    if kind == "saturated steps":
        share = at.saturated
        return f"{share.k}/{share.n}" if isinstance(share, Share) else _shown(share, "")
    if kind == "median loss":
        return _shown(at.median_loss, ".3g")
    return _shown(at.mean_return, ".4f")


def _shown(cell: Number | float | Unknown, form: str) -> str:
    if isinstance(cell, Unknown):
        return _NONE
    return str(cell) if isinstance(cell, Number) else f"{cell:{form}}"


def _difference(first: Arm, second: Arm, epoch: int) -> str:
    ours, theirs = value_of(first.at(epoch).mean_return), value_of(second.at(epoch).mean_return)
    if isinstance(ours, Unknown) or isinstance(theirs, Unknown):
        return _NONE
    return f"{ours - theirs:+.4f}"
