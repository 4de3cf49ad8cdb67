"""Supervised training on single steps, with the Hugging Face trainer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reproof.engine.vlm import Messages, Prompt, encode, render_prompt

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, ProcessorMixin, Trainer


@dataclass(frozen=True)
class SftSettings:
    """Size of the run and its optimizer."""

    steps: int
    batch_size: int
    learning_rate: float
    warmup_steps: int
    seed: int
    save_steps: int


@dataclass(frozen=True)
class Example:
    """One step to imitate."""

    messages: Messages
    response: str


@dataclass(frozen=True)
class StepCollator:
    """Examples → padded tensors; only the tokens of the response are labelled."""

    processor: "ProcessorMixin"

    def __call__(self, examples: Sequence[Example]) -> "dict[str, torch.Tensor]":
        """The batch; labels are -100 outside responses."""
        prompts = [render_prompt(self.processor, example.messages) for example in examples]
        ended = [
            Prompt(prompt.text + example.response + "<|im_end|>", prompt.images)
            for prompt, example in zip(prompts, examples, strict=True)
        ]
        batch = dict(encode(self.processor, ended, side="right"))
        labels = batch["input_ids"].clone()
        tokenizer = self.processor.tokenizer
        for row, example in enumerate(examples):
            answer = tokenizer.encode(example.response + "<|im_end|>", add_special_tokens=False)
            length = int(batch["attention_mask"][row].sum())
            labels[row, : length - len(answer)] = -100
        batch["labels"] = labels.masked_fill(batch["attention_mask"] == 0, -100)
        return batch


class Stream:
    """Examples by number, made when asked for; a map-style data set for torch."""

    def __init__(self, example: Callable[[int], Example], length: int) -> None:
        self._example, self._length = example, length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Example:
        return self._example(index)


def sft_trainer(
    model: "PreTrainedModel",
    processor: "ProcessorMixin",
    example: Callable[[int], Example],
    settings: SftSettings,
    folder: Path,
) -> "Trainer":
    """A trainer that takes the examples in order, saves, and can resume from `folder`."""
    from torch.utils.data import SequentialSampler
    from transformers import Trainer, TrainingArguments

    class InOrder(Trainer):
        def _get_train_sampler(self, *args: Any, **kwargs: Any) -> SequentialSampler:
            return SequentialSampler(self.train_dataset)

    arguments = TrainingArguments(
        output_dir=str(folder),
        max_steps=settings.steps,
        per_device_train_batch_size=settings.batch_size,
        learning_rate=settings.learning_rate,
        warmup_steps=settings.warmup_steps,
        lr_scheduler_type="cosine",
        adam_beta2=0.98,
        weight_decay=0.01,
        max_grad_norm=1.0,
        seed=settings.seed,
        save_steps=settings.save_steps,
        logging_steps=50,
        use_cpu=True,
        remove_unused_columns=False,
        report_to="none",
        dataloader_pin_memory=False,
    )
    stream = Stream(example, settings.steps * settings.batch_size)
    return InOrder(
        model=model,
        args=arguments,
        train_dataset=stream,
        data_collator=StepCollator(processor),
        processing_class=processor,
    )
