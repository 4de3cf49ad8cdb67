"""Shop: choose a colour, set the quantity, add to the cart."""

from reproof.tiny.apps.app import State, TextlessApp
from reproof.tiny.apps.gauge import chosen, gauge_buttons, paint_gauge, turn
from reproof.tiny.canvas import COLOURS, Canvas, Cell, Colour, grid
from reproof.tiny.words import TINTS


class Shop(TextlessApp):
    """The quantity on a product page starts where it was left last time."""

    name = "shop"
    tint: Colour = (160, 50, 160)

    def defaults(self) -> State:
        return {"cart": {}, "start": 1, "_temp": {}}

    def buttons(self, state: State) -> dict[str, Cell]:
        return grid(TINTS) if chosen(state) is None else gauge_buttons("add")

    def press(self, state: State, button: str) -> None:
        item = chosen(state)
        if item is None:
            state["_temp"] = {"item": button, "quantity": state["start"]}
        elif button == "add":
            state["cart"][item] = state["cart"].get(item, 0) + state["_temp"]["quantity"]
            state["_temp"] = {}
        else:
            state["_temp"]["quantity"] = turn(state["_temp"]["quantity"], button)

    def paint(self, canvas: Canvas, state: State) -> None:
        item = chosen(state)
        if item is None:
            for name, cell in self.buttons(state).items():
                canvas.tile(cell, COLOURS[name], name)
        else:
            paint_gauge(canvas, COLOURS[item], item, state["_temp"]["quantity"], "add")
        if state["cart"]:
            canvas.tile(Cell(2, 0), (255, 80, 80), "cart")
