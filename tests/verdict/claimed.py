"""Short ways to write down what a card says."""

from reproof.ground.unknown import Unknown
from reproof.verdict.claims import Card, Cell, Number, Place, Result

PLACE = Place("card", 1)


def number(text: str, is_percent: bool = False, line: int = 1) -> Number:
    """A number as printed."""
    return Number(text, Place("card", line), is_percent)


def result(
    name: str,
    mean: str | None = None,
    success: int | None = None,
    partial: int | None = None,
    rate: str | None = None,
    n: int | None = 256,
    experiment: str = "main",
    line: int = 1,
) -> Result:
    """One row."""
    place = Place("card", line)
    none = Unknown("not given")

    def cell(text: object, is_percent: bool = False) -> Cell:
        return none if text is None else Number(str(text), place, is_percent)

    return Result(
        name,
        experiment,
        place,
        none if n is None else n,
        cell(mean),
        cell(success),
        cell(partial),
        cell(rate, is_percent=True),
    )


BASE = result("base", "0.2140", 36, 45, "14.06", line=12)
INIT = result("init", "0.3656", 67, 62, "26.17", line=13)
EP1 = result("ep1", "0.3758", 72, 59, "28.12", line=14)
EP2 = result("ep2", "0.3865", 71, 65, "27.73", line=15)
EP3 = result("ep3", "0.3829", 71, 65, "27.73", line=16)
EARLIER = result("earlier", "0.3793", 72, line=50)
ON2 = result("on-ep2", "0.3801", n=None, experiment="companion", line=41)
OFF2 = result("off-ep2", "0.3491", n=None, experiment="companion", line=42)


def card(**parts: object) -> Card:
    """A card with nothing but these parts."""
    return Card("card", "0" * 64, "", **parts)  # type: ignore[arg-type]  # any field may change
