"""Single steps of the scripted expert on training tasks, for supervised training."""

import random
from dataclasses import dataclass

from PIL import Image

from reproof.tiny.action import write_response
from reproof.tiny.expert import Expert
from reproof.tiny.phone import Phone
from reproof.tiny.tasks import TEMPLATES, draw_task


@dataclass(frozen=True)
class Demonstration:
    """One decision of the expert: what it saw, what it had done, what it did."""

    goal: str
    thoughts: tuple[str, ...]
    screen: Image.Image
    response: str


def demonstration(index: int, rng: random.Random) -> Demonstration:
    """One step, drawn evenly from one expert episode on a fresh training task."""
    template = TEMPLATES[index % len(TEMPLATES)]
    task = draw_task("train", template, f"demo-{index}", rng)
    phone, moves = Phone(), []
    phone.begin(task)
    for thought, action in Expert(phone).moves():
        moves.append((thought, write_response(thought, action)))
        phone.apply(moves[-1][1])
    at = rng.randrange(len(moves))
    phone.begin(task)
    for _, response in moves[:at]:
        phone.apply(response)
    thoughts = tuple(thought for thought, _ in moves[:at])
    return Demonstration(task.goal, thoughts, phone.render(), moves[at][1])
