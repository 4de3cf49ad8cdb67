"""Clock: an alarm is set by hour, then minute, then save."""

from reproof.tiny.apps.app import State, TextlessApp, next_id
from reproof.tiny.canvas import Canvas, Cell, Colour, grid
from reproof.tiny.words import HOURS, MINUTES

SAVE = {"save": Cell(0, 5, 3)}


class Clock(TextlessApp):
    """Two pages: hours, then minutes with the save button."""

    name = "clock"
    tint: Colour = (200, 120, 30)

    def defaults(self) -> State:
        return {"alarms": [], "_temp": {}}

    def buttons(self, state: State) -> dict[str, Cell]:
        return grid(MINUTES) | SAVE if "hour" in state["_temp"] else grid(HOURS)

    def press(self, state: State, button: str) -> None:
        draft = state["_temp"]
        if button != "save":
            draft["minute" if "hour" in draft else "hour"] = button
        elif "minute" in draft:
            new = {"hour": draft["hour"], "minute": draft["minute"], "enabled": True}
            state["alarms"].append({"id": next_id(state["alarms"]), **new})
            state["_temp"] = {}

    def paint(self, canvas: Canvas, state: State) -> None:
        draft = state["_temp"]
        canvas.tiles(self.buttons(state), (60, 120, 240) if "hour" in draft else (250, 225, 190))
        if "minute" in draft:
            canvas.tile(grid(MINUTES)[draft["minute"]], (255, 230, 60), draft["minute"])
        if state["alarms"]:
            canvas.tile(Cell(2, 0), (80, 255, 80), "set")
