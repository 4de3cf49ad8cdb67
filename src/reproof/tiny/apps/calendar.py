"""Calendar: choose a day, then what to add to it."""

from reproof.tiny.apps.app import State, TextlessApp, next_id
from reproof.tiny.canvas import Canvas, Cell, Colour, grid
from reproof.tiny.words import DAYS, EVENTS


class Calendar(TextlessApp):
    """A tap on an event adds it to the open day and returns to the week."""

    name = "calendar"
    tint: Colour = (30, 130, 150)

    def defaults(self) -> State:
        return {"events": [], "_temp": {}}

    def buttons(self, state: State) -> dict[str, Cell]:
        return grid(EVENTS) if "day" in state["_temp"] else grid(DAYS)

    def press(self, state: State, button: str) -> None:
        day = state["_temp"].get("day")
        if day is None:
            state["_temp"] = {"day": button}
        else:
            new = {"day": day, "what": button}
            state["events"].append({"id": next_id(state["events"]), **new})
            state["_temp"] = {}

    def paint(self, canvas: Canvas, state: State) -> None:
        day = state["_temp"].get("day")
        canvas.tiles(self.buttons(state), (190, 235, 240) if day is None else (255, 250, 200))
        if day is not None:
            canvas.tile(Cell(0, 5, 3), (190, 235, 240), day)
        if state["events"]:
            canvas.tile(Cell(2, 0), (255, 200, 80), "added")
