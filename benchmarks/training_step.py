"""A training step with cached reference log-probs against one that runs the reference model.

    python benchmarks/training_step.py [STEPS]

Both train on the shipped pairs with TRL's DPOTrainer and our step rows, in turn, in one
process. Stock TRL scores every batch with the reference model too; we look the scores up.
"""

import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from reproof.engine.dpo import EpochJob, Reference, build_trainer, compute_reference
from reproof.ground import pins
from reproof.ground.params import read_params

ROOT = Path(__file__).resolve().parent.parent


def step_seconds(trainer: Any, first: int) -> float:
    """CPU seconds of one step on the four pairs from `first` on, collation included."""
    began = time.process_time()
    rows = [trainer.train_dataset[first + i] for i in range(4)]
    trainer.model.zero_grad()
    trainer.compute_loss(trainer.model, trainer.data_collator(rows)).backward()
    return time.process_time() - began


def main(steps: int) -> None:
    """Print both medians and their ratio."""
    params = read_params(ROOT / "params.yaml")
    pairs = ROOT / "data/raw/pairs-4b.parquet"
    job = EpochJob(ROOT / "models/init", None, pairs, 1, params.seed, params.train)
    began = time.process_time()
    reference = compute_reference(job.init, pairs, 4)
    once = time.process_time() - began
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        trainers = [_trainer(job, None, one), _trainer(job, reference, other)]
        times = [[step_seconds(t, 4 * n) for t in trainers] for n in range(steps + 1)][1:]
    online, cached = (median(column) for column in zip(*times, strict=True))
    print(f"reference model in every step   {online:6.2f} CPU s a step (median of {steps})")
    print(f"reference log-probs looked up   {cached:6.2f} CPU s a step (median of {steps})")
    print(f"ratio                           {online / cached:6.2f} ×")
    print(f"scoring all pairs once          {once:6.1f} CPU s, start-up included")


def _trainer(job: EpochJob, reference: Reference | None, folder: str) -> Any:
    return build_trainer(job, reference, Path(folder))[0]


if __name__ == "__main__":
    pins.enter("tiny")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
