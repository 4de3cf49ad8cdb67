"""The page that shop and music share: a gauge with minus and plus."""

from reproof.tiny.apps.app import State
from reproof.tiny.canvas import Canvas, Cell, Colour

LOWEST, HIGHEST = 1, 6


def gauge_buttons(done: str) -> dict[str, Cell]:
    """Minus, plus, and the button that finishes."""
    return {"minus": Cell(0, 4), "plus": Cell(2, 4), done: Cell(0, 5, 3)}


def turn(value: int, button: str) -> int:
    """The gauge after minus or plus; it stops at both ends."""
    return max(LOWEST, min(HIGHEST, value + (1 if button == "plus" else -1)))


def paint_gauge(canvas: Canvas, head: Colour, label: str, value: int, done: str) -> None:
    """Draw what was chosen, the gauge, and the three buttons."""
    canvas.tile(Cell(0, 1, 3), head, label)
    canvas.level(value, first_row=2)
    canvas.tiles(gauge_buttons(done), (60, 120, 240))


def chosen(state: State) -> str | None:
    """The item whose page is open, if one is."""
    item = state["_temp"].get("item")
    return None if item is None else str(item)
