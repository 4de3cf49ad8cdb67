"""Settings: nine switches, green when on."""

from reproof.tiny.apps.app import State, TextlessApp
from reproof.tiny.canvas import Canvas, Cell, Colour, grid
from reproof.tiny.words import TOGGLES


class Settings(TextlessApp):
    """A tap on a switch turns it over."""

    name = "settings"
    tint: Colour = (90, 90, 110)

    def defaults(self) -> State:
        return {"toggles": dict.fromkeys(TOGGLES, False), "_temp": {}}

    def buttons(self, state: State) -> dict[str, Cell]:
        return grid(TOGGLES)

    def press(self, state: State, button: str) -> None:
        state["toggles"][button] = not state["toggles"][button]

    def paint(self, canvas: Canvas, state: State) -> None:
        for name, cell in self.buttons(state).items():
            canvas.tile(cell, (60, 200, 80) if state["toggles"][name] else (190, 190, 190), name)
