"""A Qwen3-VL as a policy: load it, encode prompts, and let it answer in batches."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image
    from transformers import BatchFeature, PreTrainedModel, ProcessorMixin

Messages = list[dict[str, Any]]


@dataclass(frozen=True)
class Prompt:
    """One step's prompt, rendered: what is frozen into pairs."""

    text: str
    images: "tuple[Image.Image, ...]"


@dataclass(frozen=True)
class Response:
    """What the policy wrote: text without special tokens, and its token ids."""

    text: str
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Sampling:
    """How tokens are chosen; temperature 0 is greedy."""

    temperature: float
    max_new_tokens: int
    seed: int


def load_model(folder: Path) -> "PreTrainedModel":
    """The model in float32, as `AutoModelForImageTextToText` loads it."""
    import torch
    from transformers import AutoModelForImageTextToText
    from transformers.utils import logging

    logging.disable_progress_bar()  # a bar for a second of loading hides those that matter
    model: PreTrainedModel = AutoModelForImageTextToText.from_pretrained(
        folder, dtype=torch.float32
    )
    return model.eval()


def load_processor(folder: Path) -> "ProcessorMixin":
    """The processor saved beside a model."""
    from transformers import AutoProcessor

    processor: ProcessorMixin = AutoProcessor.from_pretrained(folder)
    return processor


def render_prompt(processor: "ProcessorMixin", messages: Messages) -> Prompt:
    """Apply the chat template, and qwen-vl-utils to the images."""
    from qwen_vl_utils import process_vision_info

    text = processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    patch = processor.image_processor.patch_size
    images, _ = process_vision_info(messages, image_patch_size=patch)
    return Prompt(text, tuple(images or ()))


def encode(processor: "ProcessorMixin", prompts: Sequence[Prompt], side: str) -> "BatchFeature":
    """Tensors for a batch of prompts, padded on that side."""
    return processor(
        text=[prompt.text for prompt in prompts],
        images=[list(prompt.images) for prompt in prompts],
        padding=True,
        padding_side=side,
        return_tensors="pt",
    )


@dataclass(frozen=True)
class VlmPolicy:
    """A model that answers prompts; sampling draws from a generator seeded per call."""

    model: "PreTrainedModel"
    processor: "ProcessorMixin"
    sampling: Sampling

    def render(self, messages: Messages) -> Prompt:
        """The rendered prompt of one step."""
        return render_prompt(self.processor, messages)

    def respond(self, prompts: Sequence[Prompt], draw: int) -> list[Response]:
        """Answer a batch. `draw` sets the random numbers of a sampled answer."""
        import torch

        tokenizer = self.processor.tokenizer
        end = tokenizer.convert_tokens_to_ids("<|im_end|>")
        batch = encode(self.processor, prompts, side="left").to(self.model.device)
        torch.manual_seed(self.sampling.seed + draw)
        with torch.inference_mode():
            whole = self.model.generate(
                **batch,
                max_new_tokens=self.sampling.max_new_tokens,
                pad_token_id=tokenizer.pad_token_id,
                eos_token_id=end,
                **self._choice(),
            )
        answers = whole[:, batch["input_ids"].shape[1] :].tolist()
        cut = [row[: row.index(end) + 1] if end in row else row for row in answers]
        texts = tokenizer.batch_decode(cut, skip_special_tokens=True)
        return [Response(text, tuple(row)) for text, row in zip(texts, cut, strict=True)]

    def _choice(self) -> dict[str, Any]:
        if self.sampling.temperature == 0:
            return {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        temperature = self.sampling.temperature
        return {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
