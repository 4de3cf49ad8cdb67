"""Turn rollouts of two policies into raw pairs in the public schema."""

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from reproof.engine.rollout import Trajectory
from reproof.pairs.pair import Pair, PairStep
from reproof.pairs.preference import match_attempts

if TYPE_CHECKING:
    from PIL import Image

_STATUS = {
    "COMPLETE": "completed",
    "ABORT": "aborted",
    "MAX_STEPS": "truncated",
    "REPETITIVE_LOOP": "truncated",
    "FORMAT_ERROR": "failed",
}
# A success (1) against any failure (at most 0.5).
LEAST_MARGIN = 0.5


def raw_pairs(
    better: Sequence[Trajectory],
    worse: Sequence[Trajectory],
    per_task: int,
    facts: Mapping[str, Mapping[str, str]],
) -> Iterator[Pair]:
    """Pairs of a success among `better` and a failure among `worse`, by source row.

    `facts` gives what goes into the metadata of every attempt: by task id, its goal and so on.
    """
    scored = [[(t.task_id, t.episode_return) for t in side] for side in (better, worse)]
    for match in match_attempts(scored[0], scored[1], per_task, LEAST_MARGIN):
        chosen, rejected = better[match.chosen], worse[match.rejected]
        yield _pair(chosen, rejected, facts[chosen.task_id])


def _pair(chosen: Trajectory, rejected: Trajectory, facts: Mapping[str, str]) -> Pair:
    images: dict[bytes, int] = {}
    steps = (*_steps(chosen, images), *_steps(rejected, images))
    return Pair(
        task_id=chosen.task_id,
        margin=chosen.episode_return - rejected.episode_return,
        pos_return=chosen.episode_return,
        neg_return=rejected.episode_return,
        processed_images=tuple(images),
        steps=steps,
        n_chosen_steps=len(chosen.steps),
        chosen_metadata=_metadata(chosen, facts),
        rejected_metadata=_metadata(rejected, facts),
    )


def _steps(trajectory: Trajectory, images: dict[bytes, int]) -> Iterator[PairStep]:
    """The steps, their screens added to `images` unless they are there already."""
    last = len(trajectory.steps) - 1
    for number, step in enumerate(trajectory.steps):
        shown = [_png(image) for image in step.prompt.images]
        yield PairStep(
            prompt=step.prompt.text,
            image_indices=tuple(images.setdefault(png, len(images)) for png in shown),
            response=step.response.text,
            response_tokens=step.response.tokens,
            reward=trajectory.episode_return if number == last else 0.0,
            status=_STATUS[trajectory.stop_reason] if number == last else "completed",
            prompt_tokens=None,
        )


def _png(image: "Image.Image") -> bytes:
    stream = io.BytesIO()
    image.save(stream, format="PNG", optimize=True)
    return stream.getvalue()


def _metadata(trajectory: Trajectory, facts: Mapping[str, str]) -> str:
    own = {"sample": trajectory.sample, "stop_reason": trajectory.stop_reason}
    return json.dumps({**facts, **own}, sort_keys=True)
