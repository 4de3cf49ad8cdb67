"""A scripted policy that looks at the state and solves every task without a detour.

Its Action line first says what it sees, then what it does: it is the only
memory that later steps have of earlier screens.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from reproof.tiny.action import Action, button, click, terminate, with_text
from reproof.tiny.apps.app import State
from reproof.tiny.clauses import Clause, colour_of, sky_of
from reproof.tiny.phone import Phone

Move = tuple[str, Action]
_HOME: Move = ("go home", button("Home"))
_BACK: Move = ("go back", button("Back"))


@dataclass
class Expert:
    """The scripted policy; `moves` yields one (thought, action) a step."""

    phone: Phone
    _finished: set[str] = field(default_factory=set)

    def moves(self) -> Iterator[Move]:
        """The moves from here to the end; the phone must be stepped between two of them."""
        clauses = self.phone.task.clauses
        toggles = [c for c in clauses if c.kind == "toggle"]
        for clause in [c for c in clauses if c.kind != "toggle"]:
            yield from _SOLVERS[clause.kind](self, clause.slots)
        if toggles:
            yield from self._set_toggles(toggles)
        else:
            yield "done", terminate("success")

    def _state(self, app: str) -> State:
        state: State = self.phone.state["apps"][app]
        return state

    def _tap(self, name: str) -> Move:
        return f"tap {name}", click(self.phone.cells()[name].centre())

    def _go_to(self, app: str) -> Iterator[Move]:
        """Bring the first page of an app to the front."""
        while self.phone.state["os"]["isDialogVisible"]:
            yield "dismiss", self._tap("ok")[1]
        while (front := self.phone.front()) is not None and front.name != app:
            yield _HOME
        if front is None:
            yield f"open {app}", self._tap(app)[1]
        while self._state(app)["_temp"]:
            yield _BACK

    def _set_toggles(self, clauses: list[Clause]) -> Iterator[Move]:
        yield from self._go_to("settings")
        while True:
            on = self._state("settings")["toggles"]
            seen = " ".join(f"{c.slots[0]} {'on' if on[c.slots[0]] else 'off'}" for c in clauses)
            wrong = [c.slots[0] for c in clauses if on[c.slots[0]] != (c.slots[1] == "on")]
            if not wrong:
                yield f"{seen} done", terminate("success")
                return
            thought, action = self._tap(wrong[0])
            yield f"{seen} {thought}", action

    def _add_event(self, slots: tuple[str, ...]) -> Iterator[Move]:
        yield from self._go_to("calendar")
        yield self._tap(slots[1])
        yield self._tap(slots[0])

    def _set_alarm(self, slots: tuple[str, ...]) -> Iterator[Move]:
        yield from self._go_to("clock")
        yield self._tap(slots[0])
        yield self._tap(slots[1])
        yield "save", self._tap("save")[1]

    def _send(self, text: str, person: str) -> Iterator[Move]:
        yield from self._go_to("messages")
        yield self._tap(person)
        if person in self._state("messages")["drafts"]:
            yield "field full clear", self._tap("clear")[1]
        yield f"field empty type {text}", with_text("type", text)
        yield "send", self._tap("send")[1]

    def _set_gauge(
        self, item: str, want: str, done: str, read: Callable[[], int]
    ) -> Iterator[Move]:
        yield self._tap(item)
        while (level := read()) != int(want):
            name = "plus" if level < int(want) else "minus"
            yield f"{level} of {want} {name}", self._tap(name)[1]
        yield f"{want} of {want} {done}", self._tap(done)[1]

    def _fill_cart(self, slots: tuple[str, ...]) -> Iterator[Move]:
        yield from self._go_to("shop")
        read = lambda: int(self._state("shop")["_temp"]["quantity"])  # noqa: E731
        yield from self._set_gauge(slots[1], slots[0], "add", read)

    def _play(self, slots: tuple[str, ...]) -> Iterator[Move]:
        yield from self._go_to("music")
        read = lambda: int(self._state("music")["volume"])  # noqa: E731
        yield from self._set_gauge(slots[0], slots[1], "play", read)

    def _look_up(self, app: str, slots: tuple[str, ...]) -> Iterator[Move]:
        yield from self._go_to(app)
        yield self._tap(slots[0])

    def _answer(self, app: str, slots: tuple[str, ...]) -> Iterator[Move]:
        yield from self._look_up(app, slots)
        fact = self._fact(app, slots)
        yield f"{slots[1]} is {fact} answer", with_text("answer", fact)
        yield "submit", self._tap("submit")[1]

    def _forward(self, app: str, slots: tuple[str, ...]) -> Iterator[Move]:
        yield from self._look_up(app, slots)
        fact = self._fact(app, slots)
        yield f"{slots[1]} is {fact} go home", _HOME[1]
        yield from self._send(fact, slots[2])

    def _fact(self, app: str, slots: tuple[str, ...]) -> str:
        read = sky_of if app == "weather" else colour_of
        return read(self.phone.state, slots)


_SOLVERS: dict[str, Callable[[Expert, tuple[str, ...]], Iterator[Move]]] = {
    "event": Expert._add_event,
    "alarm": Expert._set_alarm,
    "message": lambda expert, slots: expert._send(*slots),
    "cart": Expert._fill_cart,
    "play": Expert._play,
    "sky": lambda expert, slots: expert._answer("weather", slots),
    "colour": lambda expert, slots: expert._answer("contacts", slots),
    "send_sky": lambda expert, slots: expert._forward("weather", slots),
    "send_colour": lambda expert, slots: expert._forward("contacts", slots),
}
