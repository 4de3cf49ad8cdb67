"""The prompt of one step: goal, earlier Action lines as text, and the screen now shown.

Every step is its own windowed prompt with one screenshot, as cua-lite renders
older turns; so what an earlier screen said is known only from the Action lines.
"""

from collections.abc import Sequence
from typing import Any

from PIL import Image

from reproof.ground.canon import sha256_of

SYSTEM = "You are a phone agent."
_NO_HISTORY = "None"


def step_messages(goal: str, thoughts: Sequence[str], screen: Image.Image) -> list[dict[str, Any]]:
    """Chat messages in the form that qwen-vl-utils and the chat template read."""
    history = "\n".join(thoughts) or _NO_HISTORY
    text = f"Goal: {goal}\nPrevious actions:\n{history}"
    content = [{"type": "text", "text": text}, {"type": "image", "image": screen}]
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}]


def rendering_digest(chat_template: str) -> str:
    """Digest of everything that shapes a prompt, the chat template included."""
    blank = Image.new("RGB", (1, 1))
    sample = step_messages("GOAL", ["FIRST", "SECOND"], blank)
    sample[1]["content"][1]["image"] = "SCREEN"
    return sha256_of({"messages": sample, "chat_template": chat_template})
