"""Contacts: choose a person and read the colours of three things."""

from reproof.tiny.apps.app import State, TextlessApp
from reproof.tiny.canvas import COLOURS, Canvas, Cell, Colour, grid, rows
from reproof.tiny.words import PEOPLE, THINGS, TINTS


class Contacts(TextlessApp):
    """Nothing can be changed here, only read."""

    name = "contacts"
    tint: Colour = (130, 90, 60)

    def defaults(self) -> State:
        return {"colour": {name: dict.fromkeys(THINGS, TINTS[0]) for name in PEOPLE}, "_temp": {}}

    def buttons(self, state: State) -> dict[str, Cell]:
        return {} if "person" in state["_temp"] else grid(PEOPLE)

    def press(self, state: State, button: str) -> None:
        state["_temp"] = {"person": button}

    def paint(self, canvas: Canvas, state: State) -> None:
        person = state["_temp"].get("person")
        canvas.tiles(self.buttons(state), (235, 215, 195))
        if person is not None:
            for thing, cell in rows(THINGS).items():
                canvas.tile(cell, COLOURS[state["colour"][person][thing]], thing)
            canvas.tile(Cell(0, 4, 3), (235, 215, 195), person)
