"""How the shipped models and pairs of the simulated phone are made: every choice, in one value."""

from dataclasses import asdict, dataclass
from typing import Any

from reproof.tiny.model import Size


@dataclass(frozen=True)
class Training:
    """Supervised training of one model on the scripted expert.

    `horizon` is where the cosine schedule would end; training stops at `steps`.
    """

    size: Size
    horizon: int
    steps: int
    batch_size: int
    learning_rate: float
    warmup_steps: int
    seed: int


@dataclass(frozen=True)
class PairRecipe:
    """Attempts at training tasks, and how many pairs are made of them.

    Every task is tried once greedily and `sampled` times at `temperature`. A greedy
    failure is what the policy would really do: it is rejected against a sampled success.
    """

    tasks: int
    task_seed: int
    sampled: int
    temperature: float
    sampling_seed: int
    batch_size: int
    per_task: int
    count: int


@dataclass(frozen=True)
class Recipe:
    """Everything: tokenizer, the two trainings, where base and init are taken, the pairs."""

    tokenizer_texts: int
    vocabulary: int
    large: Training
    base_steps: int
    small: Training
    pairs: PairRecipe
    dev_tasks: int

    def to_json(self) -> dict[str, Any]:
        """For the record."""
        return asdict(self)


RECIPE = Recipe(
    tokenizer_texts=3000,
    vocabulary=640,
    large=Training(
        size=Size(hidden=128, layers=3, vision_hidden=96),
        horizon=3000,
        steps=1000,
        batch_size=32,
        learning_rate=2e-3,
        warmup_steps=50,
        seed=0,
    ),
    base_steps=200,
    small=Training(
        size=Size(hidden=96, layers=2, vision_hidden=64),
        horizon=1200,
        steps=300,
        batch_size=32,
        learning_rate=2e-3,
        warmup_steps=50,
        seed=1,
    ),
    pairs=PairRecipe(
        tasks=702,
        task_seed=2,
        sampled=5,
        temperature=1.0,
        sampling_seed=100,
        batch_size=128,
        per_task=3,
        count=336,
    ),
    dev_tasks=520,
)
