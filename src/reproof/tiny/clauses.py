"""What a goal asks for: one clause each, with its words, checks and allowed changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reproof.tiny import words
from reproof.tiny.judge import Check

State = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """A kind of clause: a sentence with slots, and how it is judged.

    `checks` is given the slots, the first and the last snapshot; `expected`
    gives the patterns of the changes that the clause may make.
    """

    sentence: str
    vocabulary: tuple[tuple[str, ...], ...]
    app: str
    checks: Callable[[tuple[str, ...], State, State], list[Check]]
    expected: Callable[[tuple[str, ...]], tuple[str, ...]] = lambda slots: ()
    is_question: bool = False


@dataclass(frozen=True)
class Clause:
    """A kind with its slots filled: what must be disjoint between the splits."""

    kind: str
    slots: tuple[str, ...]

    def text(self) -> str:
        """The clause in English."""
        return KINDS[self.kind].sentence.format(*self.slots)


def _last(items: list[dict[str, Any]]) -> dict[str, Any]:
    return items[-1] if items else {}


def _toggle(slots: tuple[str, ...], first: State, last: State) -> list[Check]:
    name, value = slots
    return [Check(f"toggles.{name}", value == "on", last["apps"]["settings"]["toggles"][name])]


def _alarm(slots: tuple[str, ...], first: State, last: State) -> list[Check]:
    alarm = _last(last["apps"]["clock"]["alarms"])
    pairs = zip(("hour", "minute"), slots, strict=True)
    return [Check(f"alarms.{key}", want, alarm.get(key)) for key, want in pairs]


def _sent(text: str, to: str, last: State) -> list[Check]:
    sent = _last(last["apps"]["messages"]["sent"])
    return [
        Check("sent.to", to, sent.get("to")),
        Check("sent.text", text, sent.get("text")),
    ]


def _cart(slots: tuple[str, ...], first: State, last: State) -> list[Check]:
    quantity, colour = slots
    cart = last["apps"]["shop"]["cart"]
    return [
        Check("cart.colour", True, colour in cart),
        Check("cart.quantity", int(quantity), cart.get(colour)),
    ]


def _play(slots: tuple[str, ...], first: State, last: State) -> list[Check]:
    genre, volume = slots
    music = last["apps"]["music"]
    return [
        Check("playing", genre, music["playing"]),
        Check("volume", int(volume), music["volume"] if music["playing"] else None),
    ]


def _event(slots: tuple[str, ...], first: State, last: State) -> list[Check]:
    event = _last(last["apps"]["calendar"]["events"])
    pairs = zip(("what", "day"), slots, strict=True)
    return [Check(f"events.{key}", want, event.get(key)) for key, want in pairs]


def _answer(field: str, truth: str, last: State) -> list[Check]:
    sheet = last["apps"]["answer_sheet"]
    return [
        Check(f"answer_sheet.{field}", truth, sheet["answers"].get("0")),
        Check("answer_sheet.submitted", True, sheet["submitted"]),
    ]


def sky_of(state: State, slots: tuple[str, ...]) -> str:
    """The sky in a city (first slot) on a day (second slot)."""
    return str(state["apps"]["weather"]["sky"][slots[0]][slots[1]])


def colour_of(state: State, slots: tuple[str, ...]) -> str:
    """The colour of a person's (first slot) thing (second slot)."""
    return str(state["apps"]["contacts"]["colour"][slots[0]][slots[1]])


def _message_patterns(person: str) -> tuple[str, ...]:
    return "apps.messages.sent[+1]", f"apps.messages.drafts.{person}"


KINDS: dict[str, Kind] = {
    "toggle": Kind(
        "turn {0} {1}",
        (words.TOGGLES, ("on", "off")),
        "settings",
        _toggle,
        lambda slots: (f"apps.settings.toggles.{slots[0]}",),
    ),
    "event": Kind(
        "add {0} on {1}",
        (words.EVENTS, words.DAYS),
        "calendar",
        _event,
        lambda slots: ("apps.calendar.events[+1]",),
    ),
    "alarm": Kind(
        "set an alarm for {0}:{1}",
        (words.HOURS, words.MINUTES),
        "clock",
        _alarm,
        lambda slots: ("apps.clock.alarms[+1]",),
    ),
    "message": Kind(
        "send {0} to {1}",
        (words.WORDS, words.PEOPLE),
        "messages",
        lambda slots, first, last: _sent(slots[0], slots[1], last),
        lambda slots: _message_patterns(slots[1]),
    ),
    "cart": Kind(
        "put {0} {1} in the cart",
        (words.QUANTITIES, words.TINTS),
        "shop",
        _cart,
        lambda slots: (f"apps.shop.cart.{slots[1]}",),
    ),
    "play": Kind(
        "play {0} at volume {1}",
        (words.GENRES, words.VOLUMES),
        "music",
        _play,
        lambda slots: ("apps.music.playing", "apps.music.volume"),
    ),
    "sky": Kind(
        "what is the sky in {0} {1}?",
        (words.CITIES, words.WHEN),
        "weather",
        lambda slots, first, last: _answer("sky", sky_of(first, slots), last),
        is_question=True,
    ),
    "colour": Kind(
        "which colour has {0}'s {1}?",
        (words.PEOPLE, words.THINGS),
        "contacts",
        lambda slots, first, last: _answer("colour", colour_of(first, slots), last),
        is_question=True,
    ),
    "send_sky": Kind(
        "send the sky in {0} {1} to {2}",
        (words.CITIES, words.WHEN, words.PEOPLE),
        "weather",
        lambda slots, first, last: _sent(sky_of(first, slots), slots[2], last),
        lambda slots: _message_patterns(slots[2]),
    ),
    "send_colour": Kind(
        "send the colour of {0}'s {1} to {2}",
        (words.PEOPLE, words.THINGS, words.PEOPLE),
        "contacts",
        lambda slots, first, last: _sent(colour_of(first, slots), slots[2], last),
        lambda slots: _message_patterns(slots[2]),
    ),
}
