"""What an app of the simulated phone is: a state, the cells one can tap, and a picture."""

from typing import Any, Protocol

from reproof.tiny.canvas import Canvas, Cell, Colour

# An app's own state is a JSON object. Keys under "_temp" belong to the user
# interface (open page, draft); the judge never looks at them.
State = dict[str, Any]


class App(Protocol):
    """One app; all methods are given the app's own state."""

    name: str
    tint: Colour

    def defaults(self) -> State:
        """The bottom layer of the state: what a new phone holds."""

    def buttons(self, state: State) -> dict[str, Cell]:
        """The cells that react to a tap on the page now open."""

    def press(self, state: State, button: str) -> None:
        """Change the state as a tap on that button does."""

    def type_text(self, state: State, text: str) -> None:
        """Change the state as typing does; without a text field, nothing happens."""

    def paint(self, canvas: Canvas, state: State) -> None:
        """Draw the page now open."""


class TextlessApp:
    """Base of apps without a text field."""

    def type_text(self, state: State, text: str) -> None:
        """There is no field to type into."""


def next_id(items: list[State]) -> str:
    """The id of the next element of an id'd list."""
    return str(len(items) + 1)
