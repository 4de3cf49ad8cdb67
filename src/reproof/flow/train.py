"""Train one epoch of trajectory DPO and keep its checkpoint and signals."""

from pathlib import Path

from reproof.engine.dpo import EpochJob, train_epoch
from reproof.flow.reference import read_reference
from reproof.ground.canon import to_bytes
from reproof.ground.errors import ParamsError, StageError
from reproof.ground.files import whole_folder, write_whole
from reproof.ground.params import Params


def train(root: Path, epoch: int, params: Params) -> None:
    """Write models/epoch-N/ and data/signals/epoch-N.jsonl."""
    if epoch > params.train.epochs:
        rule = f"train.epochs is {params.train.epochs}, so there is no epoch {epoch}"
        raise ParamsError("params.yaml", rule, "raise train.epochs or drop the stage in dvc.yaml")
    previous = root / f"models/epoch-{epoch - 1}" if epoch > 1 else None
    if previous and not (previous / "checkpoint.json").is_file():
        way_out = f"run `dvc repro train-epoch@{epoch - 1}`"
        raise StageError(str(previous), "is no checkpoint to go on from", way_out)
    job = EpochJob(
        init=root / "models/init",
        previous=previous,
        pairs=root / "data/dedup/pairs.parquet",
        epoch=epoch,
        seed=params.seed,
        train=params.train,
    )
    with whole_folder(root / f"models/epoch-{epoch}") as out:
        signals = list(train_epoch(job, read_reference(root), out))
    lines = b"".join(to_bytes(signal) + b"\n" for signal in signals)
    write_whole(root / f"data/signals/epoch-{epoch}.jsonl", lines)
