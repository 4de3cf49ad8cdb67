"""Small valid pairs made from a seed: doubles for tests and benchmarks, no real data."""

import json
import random
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace

from reproof.pairs.pair import Pair, PairStep

_IMAGE_SIDE = 4


def example_pairs(count: int, seed: int, duplicates: int = 0) -> Iterator[Pair]:
    """`count` different pairs, and `duplicates` more rows that repeat earlier ones.

    A repeat does the same as its original in other words. The rows of a seed are a
    stream: memory does not grow with `count`.
    """
    rng = random.Random(f"repeats/{seed}")
    repeated = 0
    for index in range(count):
        yield example_pair(index, seed)
        while repeated * count < duplicates * (index + 1):
            repeated += 1
            yield reworded(example_pair(rng.randrange(index + 1), seed))


def example_pair(index: int, seed: int) -> Pair:
    """The pair of that number; no two numbers of a seed give the same actions."""
    rng = random.Random(f"{seed}/{index}")
    cut, count = rng.randint(1, 3), rng.randint(4, 6)
    images = tuple(png((rng.randrange(256), index % 256, n)) for n in range(count))
    steps = tuple(
        _step(n, f"{index} step {n}", last=n in (cut - 1, count - 1)) for n in range(count)
    )
    neg_return = rng.choice((0.0, 0.25, 0.5))
    task_id = f"train-{index // 4:05d}"
    metadata = json.dumps({"goal": f"write a note of {index // 4}"})
    return Pair(task_id, 1 - neg_return, 1.0, neg_return, images, steps, cut, metadata, metadata)


def reworded(pair: Pair) -> Pair:
    """The same pair, each thought in other words."""
    steps = (replace(step, response=f"Again: {step.response}") for step in pair.steps)
    return replace(pair, steps=tuple(steps))


def turned(pair: Pair) -> Pair:
    """The pair in the other direction: rejected is chosen, and returns change places."""
    return replace(
        pair,
        margin=-pair.margin,
        pos_return=pair.neg_return,
        neg_return=pair.pos_return,
        steps=pair.rejected + pair.chosen,
        n_chosen_steps=len(pair.rejected),
        chosen_metadata=pair.rejected_metadata,
        rejected_metadata=pair.chosen_metadata,
    )


def png(colour: tuple[int, int, int]) -> bytes:
    """A PNG file of one colour, four pixels a side."""
    header = struct.pack(">IIBBBBB", _IMAGE_SIDE, _IMAGE_SIDE, 8, 2, 0, 0, 0)
    line = b"\0" + bytes(colour) * _IMAGE_SIDE
    body = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(line * _IMAGE_SIDE))
    return b"\x89PNG\r\n\x1a\n" + body + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _step(number: int, text: str, last: bool) -> PairStep:
    action = {"action": "terminate", "status": text} if last else {"action": "type", "text": text}
    call = json.dumps({"name": "mobile_use", "arguments": action})
    response = f"Action: go on\n<tool_call>\n{call}\n</tool_call>"
    tokens = tuple(range(number, number + 4))
    return PairStep("Goal: a note", (number,), response, tokens, 0.0, "completed", None)
