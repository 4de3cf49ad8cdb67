"""Messages: choose a person, type, send. An old draft may lie in the field."""

from reproof.tiny.apps.app import State, next_id
from reproof.tiny.canvas import Canvas, Cell, Colour, grid
from reproof.tiny.words import PEOPLE

FIELD = Cell(0, 2, 3)
CHAT = {"clear": Cell(2, 3), "send": Cell(0, 5, 3)}


class Messages:
    """Typing appends to the draft, as on a real phone."""

    name = "messages"
    tint: Colour = (40, 140, 70)

    def defaults(self) -> State:
        return {"sent": [], "drafts": {}, "_temp": {}}

    def buttons(self, state: State) -> dict[str, Cell]:
        return CHAT if "person" in state["_temp"] else grid(PEOPLE)

    def press(self, state: State, button: str) -> None:
        person = state["_temp"].get("person")
        if person is None:
            state["_temp"]["person"] = button
        elif button == "clear":
            state["drafts"].pop(person, None)
        elif person in state["drafts"]:
            new = {"to": person, "text": state["drafts"].pop(person)}
            state["sent"].append({"id": next_id(state["sent"]), **new})
            state["_temp"] = {}

    def type_text(self, state: State, text: str) -> None:
        person = state["_temp"].get("person")
        if person is not None and text:
            state["drafts"][person] = state["drafts"].get(person, "") + text

    def paint(self, canvas: Canvas, state: State) -> None:
        person = state["_temp"].get("person")
        canvas.tiles(self.buttons(state), (190, 230, 200) if person is None else (60, 120, 240))
        if person is not None:
            draft = state["drafts"].get(person, "")
            canvas.tile(Cell(0, 1), (190, 230, 200), person)
            canvas.tile(FIELD, (255, 230, 60) if draft else (255, 255, 255), draft)
            canvas.tile(CHAT["clear"], (220, 60, 60), "clear")
        if state["sent"]:
            canvas.tile(Cell(2, 0), (80, 255, 255), "sent")
