"""Supervised training on single steps, with the Hugging Face trainer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reproof.engine.vlm import Messages, Prompt, encode, load_model, render_prompt
from reproof.ground.files import whole_folder

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, ProcessorMixin, Trainer, TrainingArguments

_SAVE_STEPS = 100  # every kept step must be a multiple


@dataclass(frozen=True)
class SftSettings:
    """The optimizer; `horizon` is the step at which the cosine schedule reaches 0."""

    horizon: int
    batch_size: int
    learning_rate: float
    warmup_steps: int
    seed: int


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


def train_until(
    model: "PreTrainedModel",
    processor: "ProcessorMixin",
    example: Callable[[int], Example],
    settings: SftSettings,
    work: Path,
    kept: Mapping[int, Path],
) -> None:
    """Train to the last step in `kept` and save model and processor at each of its steps.

    An interrupted call goes on from the last checkpoint under `work`, to the same bits.
    """
    from transformers.trainer_utils import get_last_checkpoint

    trainer = _trainer(model, processor, example, settings, work, max(kept))
    last = get_last_checkpoint(str(work)) if work.is_dir() else None
    if last is None or int(last.rpartition("-")[2]) < max(kept):
        trainer.train(resume_from_checkpoint=last)
    for steps, folder in kept.items():
        with whole_folder(folder) as out:
            load_model(work / f"checkpoint-{steps}").save_pretrained(out)
            processor.save_pretrained(out)


def _trainer(
    model: "PreTrainedModel",
    processor: "ProcessorMixin",
    example: Callable[[int], Example],
    settings: SftSettings,
    work: Path,
    stop_at: int,
) -> "Trainer":
    from torch.utils.data import SequentialSampler
    from transformers import Trainer, TrainerCallback

    class InOrder(Trainer):
        def _get_train_sampler(self, *args: Any, **kwargs: Any) -> SequentialSampler:
            return SequentialSampler(self.train_dataset)

    class StopAt(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            control.should_training_stop |= state.global_step >= stop_at

    return InOrder(
        model=model,
        args=_arguments(settings, work),
        train_dataset=Stream(example, settings.horizon * settings.batch_size),
        data_collator=StepCollator(processor),
        processing_class=processor,
        callbacks=[StopAt()],
    )


def _arguments(settings: SftSettings, work: Path) -> "TrainingArguments":
    from transformers import TrainingArguments

    return TrainingArguments(
        output_dir=str(work),
        max_steps=settings.horizon,
        per_device_train_batch_size=settings.batch_size,
        learning_rate=settings.learning_rate,
        warmup_steps=settings.warmup_steps,
        lr_scheduler_type="cosine",
        adam_beta2=0.98,
        weight_decay=0.01,
        max_grad_norm=1.0,
        optim="adamw_torch_fused",  # see dpo.py
        seed=settings.seed,
        save_steps=_SAVE_STEPS,
        logging_steps=50,
        use_cpu=True,
        remove_unused_columns=False,
        report_to="none",
        dataloader_pin_memory=False,
    )
