"""The ablation of the rejected side: two arms, published and ours, epoch by epoch."""

from dataclasses import dataclass
from typing import Any

from reproof.ground.unknown import Unknown, plain
from reproof.scores.signals import Share
from reproof.verdict.claims import Number
from reproof.verdict.claims_ruling import Quote

NOTE = (
    "Only directions can be compared: the card's runs are a 4B model on lite.osworld, ours a tiny "
    "one on its own phone. The card names neither the threshold of a saturated step nor what is "
    "counted; ours is a batch-mean loss below 1e-5. Each arm is one run: nothing here is beyond "
    "noise until it is repeated."
)
_NOT_GIVEN = Unknown("not given")


@dataclass(frozen=True, slots=True)
class ArmEpoch:
    """One epoch of one arm: mean return, median DPO loss in nats, saturated steps."""

    epoch: int
    mean_return: Number | float | Unknown = _NOT_GIVEN
    median_loss: Number | float | Unknown = _NOT_GIVEN
    saturated: Number | Share | Unknown = _NOT_GIVEN


@dataclass(frozen=True, slots=True)
class Arm:
    """The runs with one source of rejected rollouts. `source` says where the numbers are from."""

    name: str
    source: str
    epochs: tuple[ArmEpoch, ...]

    def at(self, epoch: int) -> ArmEpoch:
        """The numbers of an epoch; unknown ones where there are none."""
        return next((each for each in self.epochs if each.epoch == epoch), ArmEpoch(epoch))


@dataclass(frozen=True, slots=True)
class Negatives:
    """Both arms as published, ours beside them, and the sentence the signals stand in."""

    quote: Quote
    published: tuple[Arm, ...]
    ours: tuple[Arm, ...]

    @property
    def epochs(self) -> tuple[int, ...]:
        """Every epoch that any arm has."""
        arms = (*self.published, *self.ours)
        return tuple(sorted({each.epoch for arm in arms for each in arm.epochs}))

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "quote": {"text": self.quote.text, "place": str(self.quote.place)},
            "published": plain(self.published),
            "ours": plain(self.ours),
            "note": NOTE,
        }


def value_of(cell: Number | float | Unknown) -> float | Unknown:
    """As a plain number, however it was kept."""
    return cell.value if isinstance(cell, Number) else cell
