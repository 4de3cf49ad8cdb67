"""Pairs as batches for TRL: one row a step, folded so that TRL sums whole trajectories.

TRL's DPO loss adds up log-probs along a row. Here a row stands for a whole
trajectory: its steps lie side by side, each with its own windowed prompt. The
model never sees such a row; `StepRows` unfolds it to steps before the forward
and folds the log-probs back, so the loss stays TRL's own.

A step that occurs more than once in a batch (chosen and rejected often begin
alike) is computed once; its log-prob counts wherever the step stands.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reproof.engine.vlm import Prompt, encode
from reproof.ground.errors import StageError
from reproof.pairs.pair import Pair, PairStep, parse_pair

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, ProcessorMixin

_PER_TOKEN = ("log_probs", "entropy", "mean_logits", "is_top1")


@dataclass(frozen=True)
class TrajectoryCollator:
    """Rows of the pairs table → tensors [2B, S·L]: B chosen, then B rejected trajectories.

    S is the largest number of steps of a trajectory, L the longest step in
    tokens. `row_of_slot` [2B, S] numbers the distinct step in each place, -1
    where a trajectory has ended.
    """

    processor: "ProcessorMixin"

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> "dict[str, torch.Tensor]":
        """The batch; `completion_mask` is 1 on response tokens only."""
        import torch

        pairs = [parse_pair(row, f"row {number}") for number, row in enumerate(rows)]
        sides = [(p, p.chosen) for p in pairs] + [(p, p.rejected) for p in pairs]
        distinct, row_of_slot = _distinct_steps(sides)
        steps = self._encode(distinct)
        slots = torch.tensor(row_of_slot)
        batch = {
            name: _lay_out(steps.pop(name), slots)
            for name in ("input_ids", "attention_mask", "mm_token_type_ids", "completion_mask")
        }
        batch |= steps | {"row_of_slot": slots}
        for name in ("ref_chosen_logps", "ref_rejected_logps"):
            if name in rows[0]:
                batch[name] = torch.tensor([row[name] for row in rows], dtype=torch.float32)
        return batch

    def _encode(self, steps: Sequence[tuple[Pair, PairStep]]) -> "dict[str, torch.Tensor]":
        """Prompt tokens from the processor, then the response tokens as they were sampled."""
        import torch

        prompts = [Prompt(step.prompt, _open_images(pair, step)) for pair, step in steps]
        batch = dict(encode(self.processor, prompts, side="right"))
        lengths = batch["attention_mask"].sum(dim=1).tolist()
        answers = [step.response_tokens for _, step in steps]
        width = max(n + len(a) for n, a in zip(lengths, answers, strict=True))
        shape = (len(steps), width)
        pad = self.processor.tokenizer.pad_token_id
        laid = {
            "input_ids": torch.full(shape, pad),
            "attention_mask": torch.zeros(shape, dtype=torch.long),
            "mm_token_type_ids": torch.zeros(shape, dtype=torch.long),
            "completion_mask": torch.zeros(shape, dtype=torch.long),
        }
        for row, (length, answer) in enumerate(zip(lengths, answers, strict=True)):
            end = length + len(answer)
            laid["input_ids"][row, :length] = batch["input_ids"][row, :length]
            laid["input_ids"][row, length:end] = torch.tensor(answer)
            laid["mm_token_type_ids"][row, :length] = batch["mm_token_type_ids"][row, :length]
            laid["attention_mask"][row, :end] = 1
            laid["completion_mask"][row, length:end] = 1
        return laid | {name: batch[name] for name in ("pixel_values", "image_grid_thw")}


def _distinct_steps(
    sides: Sequence[tuple[Pair, Sequence[PairStep]]],
) -> tuple[list[tuple[Pair, PairStep]], list[list[int]]]:
    """Each different step once, and for every trajectory the numbers of its steps."""
    longest = max(len(steps) for _, steps in sides)
    numbers: dict[tuple[object, ...], int] = {}
    distinct: list[tuple[Pair, PairStep]] = []
    table = []
    for pair, steps in sides:
        places = []
        for step in steps:
            images = tuple(pair.processed_images[index] for index in step.image_indices)
            key = (step.prompt, step.response_tokens, images)
            if key not in numbers:
                numbers[key] = len(distinct)
                distinct.append((pair, step))
            places.append(numbers[key])
        table.append(places + [-1] * (longest - len(places)))
    return distinct, table


def _open_images(pair: Pair, step: PairStep) -> tuple[Any, ...]:
    from PIL import Image

    return tuple(
        Image.open(io.BytesIO(pair.processed_images[index])).convert("RGB")
        for index in step.image_indices
    )


def _lay_out(rows: "torch.Tensor", slots: "torch.Tensor") -> "torch.Tensor":
    """Distinct rows [U, L] → trajectories side by side [R, S·L]; empty places are 0."""
    filled = slots.flatten() >= 0
    laid = rows.new_zeros(slots.numel(), rows.shape[1])
    laid[filled] = rows[slots.flatten()[filled]]
    return laid.view(slots.shape[0], -1)


class StepRows:
    """A model's forward that takes trajectories side by side and computes each step once.

    `sides` gives, after a forward, the sums of log-probs of the chosen and of the
    rejected trajectories, [B] each, without gradient.
    """

    def __init__(self, model: "PreTrainedModel") -> None:
        self._forward: Callable[..., Any] = model.forward
        self._sums: torch.Tensor | None = None
        model.forward = self

    def sides(self) -> "tuple[torch.Tensor, torch.Tensor]":
        """S of the chosen and of the rejected trajectories of the last forward."""
        if self._sums is None:
            raise StageError("trajectory DPO", "no batch was scored yet", "call the model first")
        chosen, rejected = self._sums.chunk(2)
        return chosen, rejected

    def __call__(self, row_of_slot: "torch.Tensor | None" = None, **inputs: Any) -> Any:
        """Without `row_of_slot`, the model's own forward."""
        if row_of_slot is None:
            return self._forward(**inputs)
        first = _first_places(row_of_slot)
        length = inputs["input_ids"].shape[1] // row_of_slot.shape[1]
        for name in ("input_ids", "attention_mask", "mm_token_type_ids", "labels"):
            inputs[name] = inputs[name].view(-1, length)[first]
        outputs = self._forward(**inputs)
        for name in _PER_TOKEN:
            values = getattr(outputs, name)
            if values is not None:
                setattr(outputs, name, _fold(values, row_of_slot))
        self._sums = outputs.log_probs.detach().sum(dim=1)
        return outputs


def _first_places(row_of_slot: "torch.Tensor") -> "torch.Tensor":
    """For every distinct step, a flat place where it stands."""
    flat = row_of_slot.flatten()
    first = flat.new_zeros(int(flat.max()) + 1)
    filled = (flat >= 0).nonzero()[:, 0]
    first[flat[filled]] = filled
    return first


def _fold(values: "torch.Tensor", row_of_slot: "torch.Tensor") -> "torch.Tensor":
    """Per-token values [U, L-1] of distinct steps → [R, S·L - 1], as TRL expects them."""
    width = values.shape[1]
    padded = values.new_zeros(values.shape[0], width + 1)
    padded[:, 1:] = values
    return _lay_out(padded, row_of_slot)[:, 1:]
