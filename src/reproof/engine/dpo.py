"""Trajectory DPO on TRL's DPOTrainer, one epoch a call, resuming bit for bit.

loss = −log σ(β[(S⁺ − S⁺ref) − (S⁻ − S⁻ref)]); S is the sum of the log-probs of
all response tokens of a trajectory, without length normalisation (Rafailov et
al. 2023, arXiv 2305.18290, taken over whole trajectories).
"""

import json
import math
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reproof.engine.trajectory import StepRows, TrajectoryCollator
from reproof.engine.vlm import load_model, load_processor
from reproof.ground.params import TrainParams

if TYPE_CHECKING:
    import torch
    from datasets import Dataset
    from trl import DPOConfig, DPOTrainer

Signal = dict[str, Any]
# TRL's names on the left, ours on the right.
_SIGNALS = {
    "rewards/margins": "margin",
    "rewards/accuracies": "accuracy",
    "rewards/chosen": "rewards_chosen",
    "rewards/rejected": "rewards_rejected",
    "logps/chosen": "logps_chosen",
    "logps/rejected": "logps_rejected",
    "learning_rate": "learning_rate",
    "grad_norm": "grad_norm",
}
# What a later epoch needs besides the weights.
_STATE = ("optimizer.pt", "scheduler.pt", "rng_state.pth", "trainer_state.json")


@dataclass(frozen=True)
class Reference:
    """Log-probs of both sides of every pair under the reference model, in row order."""

    chosen: tuple[float, ...]
    rejected: tuple[float, ...]


@dataclass(frozen=True)
class EpochJob:
    """One epoch to train: where everything is, and which epoch of how many."""

    init: Path
    previous: Path | None
    pairs: Path
    epoch: int
    seed: int
    train: TrainParams

    @property
    def start(self) -> Path:
        """The folder whose weights this epoch begins with."""
        return self.previous or self.init


def read_dataset(pairs: Path, reference: Reference | None, cache: Path) -> "Dataset":
    """The pairs table, memory-mapped, with the reference log-probs as columns."""
    from datasets import Dataset

    dataset = Dataset.from_parquet(str(pairs), cache_dir=str(cache))
    if reference is None:
        return dataset
    dataset = dataset.add_column("ref_chosen_logps", list(reference.chosen))
    return dataset.add_column("ref_rejected_logps", list(reference.rejected))


def compute_reference(init: Path, pairs: Path, batch: int) -> Reference:
    """Score both sides of every pair with the reference model, once."""
    import torch
    from tqdm import tqdm
    from trl.trainer.utils import add_fused_lm_head

    model, collate = load_model(init), TrajectoryCollator(load_processor(init))
    add_fused_lm_head(model)
    rows = StepRows(model)
    chosen: list[float] = []
    rejected: list[float] = []
    with tempfile.TemporaryDirectory() as cache, torch.inference_mode():
        dataset = read_dataset(pairs, None, Path(cache))
        for start in tqdm(range(0, len(dataset), batch), desc="reference"):
            inputs = collate([dataset[i] for i in range(start, min(start + batch, len(dataset)))])
            mask = inputs.pop("completion_mask")
            labels = inputs["input_ids"].masked_fill(mask == 0, -100)
            rows(**inputs, labels=labels, fused_lm_head=True, use_cache=False)
            better, worse = rows.sides()
            chosen += better.tolist()
            rejected += worse.tolist()
    return Reference(tuple(chosen), tuple(rejected))


def train_epoch(job: EpochJob, reference: Reference | None, out: Path) -> Iterator[Signal]:
    """Train one epoch into `out`; yields one signal an optimizer step.

    Without `reference`, the reference model runs beside the policy in every
    step, as in stock TRL. `out` gets the weights, the processor, checkpoint.json
    and, under trainer/, what the next epoch resumes from.
    """
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        trainer, signals = build_trainer(job, reference, Path(scratch))
        resume = _resume_folder(job.previous, Path(scratch)) if job.previous else None
        trainer.train(resume_from_checkpoint=resume)
        _save(trainer, job, Path(scratch), out)
    yield from signals


def build_trainer(
    job: EpochJob, reference: Reference | None, scratch: Path
) -> "tuple[DPOTrainer, list[Signal]]":
    """A trainer that stops after `job.epoch`, and the list its signals go to."""
    processor = load_processor(job.init)
    # Weights to resume from are loaded by the trainer itself.
    policy = load_model(job.init)
    signals: list[Signal] = []
    trainer = _trainer_class()(
        model=policy,
        ref_model=load_model(job.init) if reference is None else None,
        args=_config(job, scratch, precomputed=reference is not None),
        train_dataset=read_dataset(job.pairs, reference, scratch / "dataset"),
        processing_class=processor,
        data_collator=TrajectoryCollator(processor),
        callbacks=_callbacks(job.epoch, signals),
    )
    _show_only_a_bar(trainer)
    return trainer, signals


def _config(job: EpochJob, folder: Path, precomputed: bool) -> "DPOConfig":
    from trl import DPOConfig

    train = job.train
    return DPOConfig(
        output_dir=str(folder),
        # The whole horizon in every epoch: the learning rate must not restart.
        num_train_epochs=train.epochs,
        per_device_train_batch_size=train.pairs_per_step,
        beta=train.beta,
        learning_rate=train.learning_rate,
        lr_scheduler_type=train.lr_scheduler_type,
        warmup_steps=train.warmup_ratio,
        adam_beta1=train.adam_beta1,
        adam_beta2=train.adam_beta2,
        weight_decay=train.weight_decay,
        max_grad_norm=train.max_grad_norm,
        # Plain AdamW takes a tensor's square root, whose last bit depends on the processor.
        optim="adamw_torch_fused",
        precompute_ref_log_probs=precomputed,
        seed=job.seed,
        data_seed=job.seed,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        # TRL's defaults are for GPUs; its max_length of 1024 would cut trajectories.
        bf16=False,
        use_cpu=True,
        gradient_checkpointing=False,
        max_length=None,
        remove_unused_columns=False,
        dataloader_pin_memory=False,
    )


@cache
def _trainer_class() -> type:
    from torch.nn.functional import softplus
    from trl import DPOTrainer

    class TrajectoryDPOTrainer(DPOTrainer):
        """TRL's trainer on step rows, with reference log-probs that are already columns."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.step_rows = StepRows(self.model)
            if self.ref_model is not None:
                self.reference_rows = StepRows(self.ref_model)

        def _prepare_dataset(self, dataset: "Dataset", *args: Any, **kwargs: Any) -> "Dataset":
            return dataset

        def _precompute_ref_logps(self, dataset: "Dataset", *args: Any) -> "Dataset":
            return dataset

        def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            loss = super().compute_loss(model, inputs, *args, **kwargs)
            references = self._references(inputs)
            chosen, rejected = self.step_rows.sides()
            margins = (chosen - references[0]) - (rejected - references[1])
            self.pair_losses = softplus(-self.beta * margins).tolist()
            return loss

        def _references(self, inputs: Any) -> "tuple[torch.Tensor, torch.Tensor]":
            if self.precompute_ref_logps:
                return inputs["ref_chosen_logps"], inputs["ref_rejected_logps"]
            return self.reference_rows.sides()

        def log(self, logs: dict[str, float], *args: Any, **kwargs: Any) -> None:
            if "loss" in logs:
                logs["pair_losses"] = self.pair_losses
            super().log(logs, *args, **kwargs)

    return TrajectoryDPOTrainer


def _callbacks(epoch: int, signals: list[Signal]) -> list[Any]:
    from transformers import TrainerCallback

    class StopAfter(TrainerCallback):
        def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if round(state.epoch) >= epoch:
                control.should_training_stop = control.should_save = True

    class Keep(TrainerCallback):
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if "loss" in logs:
                signals.append(_signal(logs, state.global_step, math.ceil(state.epoch)))

    return [StopAfter(), Keep()]


def _show_only_a_bar(trainer: "DPOTrainer") -> None:
    """The library's bar prints every step's numbers too; they are in the signals."""
    from transformers import ProgressCallback

    class Bar(ProgressCallback):
        def on_log(self, *args: Any, **kwargs: Any) -> None:
            return None

    trainer.remove_callback(ProgressCallback)
    trainer.add_callback(Bar)


def _signal(logs: Mapping[str, Any], step: int, epoch: int) -> Signal:
    losses = logs["pair_losses"]
    signal = {ours: logs[theirs] for theirs, ours in _SIGNALS.items()}
    mean = math.fsum(losses) / len(losses)
    return {"step": step, "epoch": epoch, "loss": mean, "pair_losses": losses, **signal}


def _resume_folder(previous: Path, scratch: Path) -> str:
    """The previous checkpoint in the layout that the trainer resumes from."""
    folder = scratch / "resume"
    folder.mkdir()
    shutil.copy(previous / "model.safetensors", folder)
    for name in _STATE:
        shutil.copy(previous / "trainer" / name, folder)
    return str(folder)


def _save(trainer: "DPOTrainer", job: EpochJob, scratch: Path, out: Path) -> None:
    state = trainer.state
    trainer.model.save_pretrained(out)
    trainer.processing_class.save_pretrained(out)
    (out / "trainer").mkdir()
    saved = scratch / f"checkpoint-{state.global_step}"
    # The signals hold the log; TRL's token count in it starts anew with every resume.
    resumed = json.loads((saved / "trainer_state.json").read_text()) | {"log_history": []}
    (saved / "trainer_state.json").write_text(json.dumps(resumed, indent=2, sort_keys=True) + "\n")
    for name in _STATE:
        shutil.copy(saved / name, out / "trainer" / name)
    facts = {
        "epoch": job.epoch,
        # The iteration of the last optimizer step, counted from 0 as in the card.
        "iter": state.global_step - 1,
        "steps": state.global_step,
        "pairs": len(trainer.train_dataset),
        "horizon_epochs": job.train.epochs,
        "horizon_steps": state.max_steps,
    }
    (out / "checkpoint.json").write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n")
