"""Which pair a row holds: its task and what both trajectories did, never where it stood."""

import json
import re
from collections.abc import Iterable
from typing import Any

from reproof.ground.canon import sha256_of, to_bytes
from reproof.pairs.pair import Pair, PairStep

_CALL = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)


def pair_id(pair: Pair) -> str:
    """SHA-256 of the task, the chosen actions and the rejected actions, as hex.

    Screens, prompts, returns and thoughts do not count: from one task the same actions
    lead to the same screens, and to train on both rows would weigh one preference twice.
    So two rows whose thought lines differ, with the same actions, are the same pair.
    """
    return _digest(pair.task_id, pair.chosen, pair.rejected)


def reversed_id(pair: Pair) -> str:
    """The id of the pair that prefers the other trajectory; an involution on content."""
    return _digest(pair.task_id, pair.rejected, pair.chosen)


def actions_of(steps: Iterable[PairStep]) -> tuple[str, ...]:
    """A trajectory's action sequence, one canonical text a step."""
    return tuple(action_of(step.response) for step in steps)


def action_of(response: str) -> str:
    """What a response does, in canonical form; what it says besides is left out.

    - With tool calls, `<tool_call>{json}</tool_call>`: the calls in order, keys sorted,
      500.0 as 500.
    - Without, or with one that is no JSON object: the whole response, stripped.

    The two forms never give the same text.
    """
    calls = _CALL.findall(response)
    try:
        parsed = [_parsed(call) for call in calls]
    except (ValueError, RecursionError):
        parsed = []
    return to_bytes({"calls": parsed} if parsed else {"text": response.strip()}).decode()


def words_id(pair: Pair) -> str:
    """SHA-256 of task and full responses: equal only where the thoughts are equal too."""
    sides = ([step.response for step in side] for side in (pair.chosen, pair.rejected))
    return sha256_of([pair.task_id, *sides])


def _digest(task_id: str, first: Iterable[PairStep], second: Iterable[PairStep]) -> str:
    return sha256_of({"task": task_id, "chosen": actions_of(first), "rejected": actions_of(second)})


def _parsed(call: str) -> Any:
    """One call's JSON object; ValueError if it is none or has no canonical form."""
    value = json.loads(call, parse_float=_number)
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    to_bytes(value)
    return value


def _number(text: str) -> int | float:
    """A number written with a point, as a whole one where it is whole."""
    value = float(text)
    return int(value) if value.is_integer() else value
