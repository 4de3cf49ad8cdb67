"""Weather: choose a city and read the sky of three days."""

from reproof.tiny.apps.app import State, TextlessApp
from reproof.tiny.canvas import Canvas, Cell, Colour, grid, rows
from reproof.tiny.words import CITIES, SKIES, WHEN


class Weather(TextlessApp):
    """Nothing can be changed here, only read."""

    name = "weather"
    tint: Colour = (50, 110, 210)

    def defaults(self) -> State:
        return {"sky": {city: dict.fromkeys(WHEN, SKIES[0]) for city in CITIES}, "_temp": {}}

    def buttons(self, state: State) -> dict[str, Cell]:
        return {} if "city" in state["_temp"] else grid(CITIES)

    def press(self, state: State, button: str) -> None:
        state["_temp"] = {"city": button}

    def paint(self, canvas: Canvas, state: State) -> None:
        city = state["_temp"].get("city")
        canvas.tiles(self.buttons(state), (200, 220, 250))
        if city is not None:
            for when, cell in rows(WHEN).items():
                canvas.sky(cell, state["sky"][city][when])
            canvas.tile(Cell(0, 4, 3), (200, 220, 250), city)
