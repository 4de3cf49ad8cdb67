"""Build the small Qwen3-VL and its processor from nothing, without a hub."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reproof.tiny.canvas import HEIGHT, WIDTH
from reproof.tiny.demonstrations import demonstration
from reproof.tiny.prompt import SYSTEM, step_messages

if TYPE_CHECKING:
    from transformers import (
        PreTrainedTokenizerFast,
        Qwen3VLForConditionalGeneration,
        Qwen3VLProcessor,
    )

PATCH = 16
_MERGE = 2
SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>",
    "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>",
)  # fmt: skip
_CALL = '<tool_call>\n{"name": "mobile_use", "arguments": {"action": '
_END = "}}\n</tool_call>"
# Fixed parts of a tool call are one token each, so that a small model spends
# its few layers on what varies.
SKELETON = (
    f'{_CALL}"click", "coordinate": [',
    f'{_CALL}"type", "text": "',
    f'{_CALL}"answer", "text": "',
    f'{_CALL}"system_button", "button": "Home"{_END}',
    f'{_CALL}"system_button", "button": "Back"{_END}',
    f'{_CALL}"terminate", "status": "success"{_END}',
    ", ",
    f"]{_END}",
    f'"{_END}',
    "system", "user", "assistant", SYSTEM, "Goal:", "Previous actions:", "Action:",
)  # fmt: skip
_WORDS = (
    r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"""
    r"""| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
)


@dataclass(frozen=True)
class Size:
    """The shape of a small Qwen3-VL; widths are hidden sizes."""

    hidden: int = 128
    layers: int = 4
    heads: int = 4
    vision_hidden: int = 96
    vision_depth: int = 2
    initializer_range: float = 0.06


def corpus(count: int, seed: int) -> Iterator[str]:
    """Texts of training prompts and responses, for the tokenizer."""
    for index in range(count):
        rng = random.Random(f"tokenizer/{seed}/{index}")
        step = demonstration(index, rng)
        yield step_messages(step.goal, step.thoughts, step.screen)[1]["content"][0]["text"]
        yield step.response


def train_tokenizer(texts: Iterator[str], vocabulary: int) -> "PreTrainedTokenizerFast":
    """A byte-level BPE tokenizer with Qwen's special tokens."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(_WORDS), "isolated")
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bpe.pre_tokenizer = pre_tokenizers.Sequence([split, bytes_])
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, initial_alphabet=alphabet, show_progress=False
    )
    bpe.train_from_iterator(texts, trainer)
    bpe.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in SPECIAL])
    bpe.add_tokens([AddedToken(t, special=False, normalized=False) for t in SKELETON])
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        padding_side="left",
        model_max_length=4096,
        clean_up_tokenization_spaces=False,
    )


def build_processor(tokenizer: "PreTrainedTokenizerFast") -> "Qwen3VLProcessor":
    """A Qwen3VLProcessor for the small patches, with the published chat template."""
    from transformers import Qwen3VLProcessor, Qwen3VLVideoProcessor
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import (
        Qwen2VLImageProcessorPil,
    )
    from trl.chat_template_utils import qwen3_vl_chat_template

    images = Qwen2VLImageProcessorPil(
        patch_size=PATCH,
        temporal_patch_size=2,
        merge_size=_MERGE,
        min_pixels=(PATCH * _MERGE) ** 2,
        max_pixels=WIDTH * HEIGHT,
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    )
    return Qwen3VLProcessor(
        image_processor=images,
        tokenizer=tokenizer,
        video_processor=Qwen3VLVideoProcessor(patch_size=PATCH),
        chat_template=qwen3_vl_chat_template,
    )


def build_model(
    tokenizer: "PreTrainedTokenizerFast", size: Size, seed: int
) -> "Qwen3VLForConditionalGeneration":
    """A randomly initialised Qwen3-VL of that size."""
    import torch
    from transformers import GenerationConfig, Qwen3VLConfig, Qwen3VLForConditionalGeneration

    token = tokenizer.convert_tokens_to_ids
    config = Qwen3VLConfig(
        text_config=_text_config(tokenizer, size),
        vision_config=_vision_config(size),
        image_token_id=token("<|image_pad|>"),
        video_token_id=token("<|video_pad|>"),
        vision_start_token_id=token("<|vision_start|>"),
        vision_end_token_id=token("<|vision_end|>"),
        tie_word_embeddings=True,
    )
    torch.manual_seed(seed)
    model = Qwen3VLForConditionalGeneration(config)
    model.generation_config = GenerationConfig(
        eos_token_id=token("<|im_end|>"), pad_token_id=tokenizer.pad_token_id, do_sample=False
    )
    return model


def _text_config(tokenizer: "PreTrainedTokenizerFast", size: Size) -> dict[str, Any]:
    head = size.hidden // size.heads
    side = head // 2 // 3
    rope = {
        "rope_type": "default",
        "rope_theta": 10000.0,
        # Sections for time, height and width must sum to half the head.
        "mrope_section": [head // 2 - 2 * side, side, side],
        "mrope_interleaved": True,
    }
    return {
        "vocab_size": (len(tokenizer) + 15) // 16 * 16,
        "hidden_size": size.hidden,
        "intermediate_size": 3 * size.hidden,
        "num_hidden_layers": size.layers,
        "num_attention_heads": size.heads,
        "num_key_value_heads": size.heads // 2,
        "head_dim": head,
        "max_position_embeddings": 4096,
        "rope_parameters": rope,
        "tie_word_embeddings": True,
        "initializer_range": size.initializer_range,
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.convert_tokens_to_ids("<|im_end|>"),
        "bos_token_id": None,
    }


def _vision_config(size: Size) -> dict[str, Any]:
    return {
        "depth": size.vision_depth,
        "hidden_size": size.vision_hidden,
        "intermediate_size": 2 * size.vision_hidden,
        "num_heads": 4,
        "patch_size": PATCH,
        "spatial_merge_size": _MERGE,
        "temporal_patch_size": 2,
        "out_hidden_size": size.hidden,
        "num_position_embeddings": 256,
        "deepstack_visual_indexes": [0],
        "initializer_range": size.initializer_range,
    }
