"""Raw pairs to unique pairs, with a ledger that accounts for every raw row."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from tqdm import tqdm

from reproof.ground.errors import InputError
from reproof.ground.files import disk_errors, whole_folder, write_json
from reproof.ground.params import EvaluateParams, Params
from reproof.pairs.dedup import KEPT, Dedup, facts_of
from reproof.pairs.pair import Pair, count_pairs, read_pairs, write_pairs
from reproof.pairs.tally import EvalTasks
from reproof.tiny.tasks import make_tasks


def dedup(root: Path, params: Params) -> dict[str, Any]:
    """Write data/dedup/{pairs.parquet,ledger.jsonl,report.json}, all or none; the report.

    Reads data/raw/pairs-{negatives}.parquet once. Raises InputError that names file and
    row, or DiskError.
    """
    raw = root / "data" / "raw" / f"pairs-{params.negatives}.parquet"
    decisions = Dedup(_eval_tasks(params.evaluate) if params.scale == "tiny" else None)
    bar = tqdm(read_pairs(raw), "dedup", count_pairs(raw), unit="row", file=sys.stderr)
    with whole_folder(root / "data" / "dedup") as folder:
        ledger = folder / "ledger.jsonl"
        with disk_errors(ledger), ledger.open("w") as lines, bar as pairs:
            kept = _kept(raw, pairs, decisions, lines)
            write_pairs(folder / "pairs.parquet", kept)
        report = decisions.report()
        write_json(folder / "report.json", report)
    return report


def _kept(raw: Path, pairs: Iterable[Pair], decisions: Dedup, lines: TextIO) -> Iterator[Pair]:
    """The rows to keep; every row's decision goes into the ledger as it passes."""
    kept = 0
    for pair in pairs:
        entry = decisions.decide(facts_of(pair))
        lines.write(f"{json.dumps(entry.to_json())}\n")
        if entry.decision == KEPT:
            kept += 1
            yield pair
    if not kept:
        rule = "in every row chosen and rejected do the same, so none is kept"
        raise InputError(str(raw), rule, "make the raw pairs again")


def _eval_tasks(params: EvaluateParams) -> EvalTasks:
    """The tasks that the evaluate stages will use."""
    tasks = make_tasks(params.split, params.tasks, params.task_seed)
    return EvalTasks(
        frozenset(task.task_id for task in tasks), frozenset(task.goal for task in tasks)
    )
