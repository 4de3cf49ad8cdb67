"""The first state of a phone: the defaults of its apps, then what a seed varies."""

import random
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from reproof.tiny import words
from reproof.tiny.apps.app import State
from reproof.tiny.apps.catalogue import APPS, INSTALLED
from reproof.tiny.apps.gauge import HIGHEST, LOWEST
from reproof.tiny.clauses import KINDS, Clause

HOME = "home"
# Chances of what a user meets on a real phone.
_DIALOG, _ELSEWHERE, _PAGE_OPEN, _DRAFT, _ALREADY_SO = 0.25, 0.3, 0.5, 0.3, 0.3


def base_state() -> State:
    """The bottom layer: a new phone on its home screen."""
    return {
        "os": {"activeAppId": HOME, "isDialogVisible": False},
        "apps": {app.name: app.defaults() for app in INSTALLED},
    }


def overlay(base: State, layer: Mapping[str, Any]) -> State:
    """A state with a layer laid over it: objects merge, other values replace."""
    merged = deepcopy(base)
    for key, value in layer.items():
        below = merged.get(key)
        if isinstance(below, dict) and isinstance(value, Mapping):
            merged[key] = overlay(below, value)
        else:
            merged[key] = deepcopy(value)
    return merged


def draw_scene(clauses: tuple[Clause, ...], seed: int) -> State:
    """The layer that a seed lays over the base state, for a goal of these clauses."""
    rng = random.Random(seed)
    scene: State = {"os": _draw_os(rng), "apps": _draw_apps(rng)}
    for clause in clauses:
        if clause.kind == "toggle":
            name, value = clause.slots
            so = rng.random() < _ALREADY_SO
            scene["apps"]["settings"]["toggles"][name] = (value == "on") == so
    if KINDS[clauses[-1].kind].is_question:
        scene["apps"]["answer_sheet"] = {
            "question": clauses[-1].text(),
            "fields": [{"type": "text", "label": clauses[-1].kind}],
            "answers": {},
            "submitted": False,
        }
    _open_page(scene, rng)
    return scene


def first_state(clauses: tuple[Clause, ...], seed: int) -> State:
    """The state at reset."""
    return overlay(base_state(), draw_scene(clauses, seed))


def _draw_os(rng: random.Random) -> State:
    elsewhere = rng.random() < _ELSEWHERE
    return {
        "activeAppId": rng.choice(sorted(APPS)) if elsewhere else HOME,
        "isDialogVisible": rng.random() < _DIALOG,
    }


def _draw_apps(rng: random.Random) -> State:
    return {
        "settings": {"toggles": {name: rng.random() < 0.5 for name in words.TOGGLES}},
        "messages": {
            "drafts": {
                person: rng.choice(words.WORDS) for person in words.PEOPLE if rng.random() < _DRAFT
            }
        },
        "shop": {"start": rng.randint(1, 3)},
        "music": {"volume": rng.randint(LOWEST, HIGHEST)},
        "weather": {"sky": _draw_table(rng, words.CITIES, words.WHEN, words.SKIES)},
        "contacts": {"colour": _draw_table(rng, words.PEOPLE, words.THINGS, words.TINTS)},
    }


def _draw_table(
    rng: random.Random, keys: tuple[str, ...], fields: tuple[str, ...], values: tuple[str, ...]
) -> State:
    return {key: {field: rng.choice(values) for field in fields} for key in keys}


def _open_page(scene: State, rng: random.Random) -> None:
    """Now and then the app in front has a page open, as it was left."""
    name = scene["os"]["activeAppId"]
    if name == HOME or rng.random() >= _PAGE_OPEN:
        return
    app, state = APPS[name], overlay(base_state()["apps"][name], scene["apps"].get(name, {}))
    before = deepcopy(state)
    app.press(state, rng.choice(sorted(app.buttons(state))))
    if all(state[key] == before[key] for key in state if key != "_temp"):
        scene["apps"].setdefault(name, {})["_temp"] = state["_temp"]
