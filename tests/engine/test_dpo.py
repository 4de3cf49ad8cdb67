"""Trajectory DPO: the loss is the formula, common steps cost nothing, epochs chain bit for bit."""

import hashlib
import json
import math
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reproof.engine.dpo import EpochJob, Reference, build_trainer, compute_reference, train_epoch
from reproof.engine.trajectory import TrajectoryCollator
from reproof.engine.vlm import Prompt, encode, load_model, load_processor
from reproof.ground.params import TrainParams
from reproof.pairs.pair import Pair, PairStep, read_pairs

if TYPE_CHECKING:
    from tests.engine.conftest import Bench

PARAMS = TrainParams(
    epochs=3,
    pairs_per_step=2,
    beta=0.1,
    learning_rate=1e-3,
    lr_scheduler_type="cosine",
    warmup_ratio=0.1,
    adam_beta1=0.9,
    adam_beta2=0.95,
    weight_decay=0.1,
    max_grad_norm=1.0,
)


def log_prob(model: Any, processor: Any, pair: Pair, steps: tuple[PairStep, ...]) -> Any:
    """S by hand: every step alone, its tokens' log-probs added up."""
    import io

    import torch
    from PIL import Image

    total = torch.zeros(())
    for step in steps:
        images = tuple(Image.open(io.BytesIO(i)).convert("RGB") for i in pair.images_of(step))
        batch = dict(encode(processor, [Prompt(step.prompt, images)], side="right"))
        answer = torch.tensor([step.response_tokens])
        batch["input_ids"] = torch.cat([batch["input_ids"], answer], dim=1)
        for name, value in (("attention_mask", 1), ("mm_token_type_ids", 0)):
            batch[name] = torch.cat([batch[name], torch.full_like(answer, value)], dim=1)
        logits = model(**batch).logits[0, -answer.shape[1] - 1 : -1].log_softmax(-1)
        total = total + logits.gather(1, answer.T).sum()
    return total


def job(bench: "Bench", previous: Path | None = None, epoch: int = 1) -> EpochJob:
    return EpochJob(bench.model, previous, bench.pairs, epoch, seed=7, train=PARAMS)


@pytest.fixture(scope="module")
def reference(bench: "Bench") -> Reference:
    return compute_reference(bench.model, bench.pairs, batch=2)


def test_the_reference_is_the_sum_of_the_log_probs_of_all_steps(
    bench: "Bench", reference: Reference
) -> None:
    model, processor = load_model(bench.model), load_processor(bench.model)
    pairs = list(read_pairs(bench.pairs))
    for pair, chosen, rejected in zip(pairs, reference.chosen, reference.rejected, strict=True):
        by_hand = [log_prob(model, processor, pair, s).item() for s in (pair.chosen, pair.rejected)]
        assert [chosen, rejected] == pytest.approx(by_hand, rel=1e-5)


def test_loss_and_gradient_are_those_of_the_formula(
    bench: "Bench", reference: Reference, tmp_path: Path
) -> None:
    """TRL on folded, deduplicated rows against −log σ(β Δ) with every step computed alone."""
    import torch

    shifted = Reference(tuple(s - 5 for s in reference.chosen), reference.rejected)
    trainer, _ = build_trainer(job(bench), shifted, tmp_path)
    rows = [trainer.train_dataset[i] for i in (0, 1)]
    loss = trainer.compute_loss(trainer.model, trainer.data_collator(rows))
    loss.backward()

    model, processor = load_model(bench.model), load_processor(bench.model)
    pairs = list(read_pairs(bench.pairs))[:2]
    losses = []
    for pair, chosen, rejected in zip(pairs, shifted.chosen, shifted.rejected, strict=False):
        better = log_prob(model, processor, pair, pair.chosen) - chosen
        worse = log_prob(model, processor, pair, pair.rejected) - rejected
        losses.append(-torch.nn.functional.logsigmoid(PARAMS.beta * (better - worse)))
    by_hand = torch.stack(losses).mean()
    by_hand.backward()

    assert loss.item() == pytest.approx(by_hand.item(), rel=1e-5)
    assert trainer.pair_losses == pytest.approx([one.item() for one in losses], rel=1e-5)
    for one, other in zip(trainer.model.parameters(), model.parameters(), strict=True):
        if other.grad is not None:
            torch.testing.assert_close(one.grad, other.grad, rtol=1e-3, atol=1e-6)


def test_a_step_that_both_sides_share_is_computed_once(bench: "Bench") -> None:
    collate = TrajectoryCollator(load_processor(bench.model))
    from reproof.engine.dpo import read_dataset

    rows = [read_dataset(bench.pairs, None, bench.model.parent / "cache")[i] for i in (0, 1)]
    pairs = list(read_pairs(bench.pairs))[:2]
    slots = collate(rows)["row_of_slot"]
    placed = sum(len(pair.steps) for pair in pairs)
    assert int((slots >= 0).sum()) == placed
    # The rejected side begins as the chosen one and gives up after two steps.
    assert int(slots.max()) + 1 == placed - 2 * len(pairs)


def test_only_response_tokens_count(bench: "Bench") -> None:
    from reproof.engine.dpo import read_dataset

    rows = [read_dataset(bench.pairs, None, bench.model.parent / "cache")[0]]
    batch = TrajectoryCollator(load_processor(bench.model))(rows)
    pair = next(iter(read_pairs(bench.pairs)))
    counted = batch["input_ids"][0][batch["completion_mask"][0] == 1].tolist()
    assert counted == [token for step in pair.chosen for token in step.response_tokens]


def digest(folder: Path) -> dict[str, str]:
    """Every file of a checkpoint, trainer state included."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def run(job: EpochJob, reference: Reference, out: Path) -> list[dict[str, Any]]:
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    return list(train_epoch(job, reference, out))


def test_three_chained_epochs_are_one_straight_run_bit_for_bit(
    bench: "Bench", reference: Reference, tmp_path: Path
) -> None:
    straight = run(job(bench, epoch=3), reference, tmp_path / "straight")
    chained, previous = [], None
    for epoch in (1, 2, 3):
        out = tmp_path / f"epoch-{epoch}"
        chained += run(job(bench, previous, epoch), reference, out)
        previous = out
    assert chained == straight
    assert digest(tmp_path / "epoch-3") == digest(tmp_path / "straight")
    first, last = (
        json.loads((tmp_path / f"epoch-{n}/checkpoint.json").read_text()) for n in (1, 3)
    )
    assert (first["steps"], first["iter"], last["steps"], last["iter"]) == (3, 2, 9, 8)


def test_the_same_epoch_twice_gives_the_same_files(
    bench: "Bench", reference: Reference, tmp_path: Path
) -> None:
    first = run(job(bench), reference, tmp_path / "one")
    again = run(job(bench), reference, tmp_path / "two")
    assert first == again
    assert digest(tmp_path / "one") == digest(tmp_path / "two")


def test_training_separates_the_pairs(bench: "Bench", reference: Reference, tmp_path: Path) -> None:
    signals = run(job(bench, epoch=3), reference, tmp_path / "out")
    assert signals[0]["loss"] == pytest.approx(math.log(2), abs=1e-4)
    assert signals[-1]["margin"] > signals[0]["margin"]
    assert [signal["step"] for signal in signals] == list(range(1, 10))
    assert [signal["epoch"] for signal in signals] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    rates = [signal["learning_rate"] for signal in signals]
    assert max(rates) <= PARAMS.learning_rate and rates[-1] < rates[1]
