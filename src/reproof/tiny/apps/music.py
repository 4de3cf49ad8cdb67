"""Music: choose a genre, set the volume, play."""

from reproof.tiny.apps.app import State, TextlessApp
from reproof.tiny.apps.gauge import chosen, gauge_buttons, paint_gauge, turn
from reproof.tiny.canvas import Canvas, Cell, Colour, grid
from reproof.tiny.words import GENRES


class Music(TextlessApp):
    """The volume is a setting of the phone: it is where it was left."""

    name = "music"
    tint: Colour = (200, 40, 90)

    def defaults(self) -> State:
        return {"playing": "", "volume": 3, "_temp": {}}

    def buttons(self, state: State) -> dict[str, Cell]:
        return grid(GENRES) if chosen(state) is None else gauge_buttons("play")

    def press(self, state: State, button: str) -> None:
        item = chosen(state)
        if item is None:
            state["_temp"] = {"item": button}
        elif button == "play":
            state["playing"] = item
        else:
            state["volume"] = turn(state["volume"], button)

    def paint(self, canvas: Canvas, state: State) -> None:
        item = chosen(state)
        if item is None:
            canvas.tiles(self.buttons(state), (250, 200, 215))
        else:
            paint_gauge(canvas, (250, 200, 215), item, state["volume"], "play")
        if state["playing"]:
            canvas.tile(Cell(2, 0), (120, 220, 255), "play")
