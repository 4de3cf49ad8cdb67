"""Stage dedup: all of its output or none, the same bytes every time, memory that stays flat."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reproof.flow.dedup import dedup
from reproof.ground.errors import DiskError, InputError
from reproof.ground.files import sha256_file
from reproof.ground.params import read_params
from reproof.pairs.columns import SCHEMA
from reproof.pairs.example import example_pair, example_pairs
from reproof.pairs.identity import pair_id
from reproof.pairs.pair import Pair, read_pairs, write_pairs
from reproof.tiny.tasks import make_tasks

REPOSITORY = Path(__file__).parents[2]
PARAMS = read_params(REPOSITORY / "params.yaml")
RAW = Path("data/raw/pairs-4b.parquet")
OUT = Path("data/dedup")
FILES = ("ledger.jsonl", "pairs.parquet", "report.json")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout as the stage sees it: 336 raw rows, 276 different pairs."""
    shutil.copy(REPOSITORY / "params.yaml", tmp_path)
    write_pairs(tmp_path / RAW, example_pairs(276, 0, duplicates=60))
    return tmp_path


def digests(root: Path) -> dict[str, str]:
    assert sorted(path.name for path in (root / OUT).iterdir()) == list(FILES)
    return {name: sha256_file(root / OUT / name) for name in FILES}


def door(root: Path) -> "subprocess.Popen[str]":
    """The stage as DVC starts it; without the guard, as there is no dvc.yaml here."""
    command = [sys.executable, str(REPOSITORY / "stages" / "dedup.py")]
    unguarded = {**os.environ, "REPROOF_GUARD": "off"}
    return subprocess.Popen(command, cwd=root, env=unguarded, stderr=subprocess.PIPE, text=True)


def test_every_raw_row_is_in_the_ledger_and_every_pair_once_in_the_file(root: Path) -> None:
    report = dedup(root, PARAMS)
    ledger = [json.loads(line) for line in (root / OUT / "ledger.jsonl").read_text().splitlines()]
    raw, kept = list(read_pairs(root / RAW)), list(read_pairs(root / OUT / "pairs.parquet"))
    assert [line["row"] for line in ledger] == list(range(336))
    assert [line["pair_id"] for line in ledger] == [pair_id(pair) for pair in raw]
    assert kept == [raw[line["row"]] for line in ledger if line["decision"] == "kept"]
    assert len({pair_id(pair) for pair in kept}) == len(kept) == 276
    assert json.loads((root / OUT / "report.json").read_text()) == report
    assert (report["raw"], report["kept"], report["duplicates"]) == (336, 276, 60)


def test_the_same_rows_give_the_same_bytes(root: Path) -> None:
    dedup(root, PARAMS)
    first = digests(root)
    dedup(root, PARAMS)
    assert digests(root) == first


def test_what_is_unique_already_comes_out_byte_for_byte(root: Path) -> None:
    dedup(root, PARAMS)
    first = digests(root)["pairs.parquet"]
    shutil.copy(root / OUT / "pairs.parquet", root / RAW)
    assert dedup(root, PARAMS)["duplicates"] == 0
    assert digests(root)["pairs.parquet"] == first


def test_the_negatives_of_params_choose_the_file(root: Path) -> None:
    write_pairs(root / "data/raw/pairs-2b.parquet", example_pairs(5, 1))
    assert dedup(root, replace(PARAMS, negatives="2b"))["raw"] == 5


def test_a_goal_of_the_evaluation_tasks_is_found_in_training(root: Path) -> None:
    evaluate = PARAMS.evaluate
    task = make_tasks(evaluate.split, evaluate.tasks, evaluate.task_seed)[0]
    leak = replace(example_pair(0, 0), chosen_metadata=json.dumps({"goal": task.goal}))
    write_pairs(root / RAW, [leak, example_pair(9, 0)])
    assert dedup(root, PARAMS)["in_eval_tasks"] == {"goals": 1, "task_ids": 0}


def test_at_another_scale_the_overlap_is_unknown(root: Path) -> None:
    report = dedup(root, replace(PARAMS, scale="paper"))
    assert "unknown" in report["in_eval_tasks"]


def cut_short(raw: Path) -> None:
    raw.write_bytes(raw.read_bytes()[:-100])


def nan_margin(raw: Path) -> None:
    """What no writer of ours would write, by another writer's hand."""
    table = pq.read_table(raw)
    margins = table["margin"].to_pylist()
    margins[200] = float("nan")
    place = table.schema.get_field_index("margin")
    pq.write_table(table.set_column(place, "margin", pa.array(margins)), raw)


def same_sides(raw: Path) -> None:
    def turned_to_itself(pair: Pair) -> Pair:
        return replace(pair, steps=pair.chosen * 2)

    write_pairs(raw, [turned_to_itself(pair) for pair in example_pairs(3, 0)])


BAD: list[tuple[Callable[[Path], object], str]] = [
    (Path.unlink, "does not exist"),
    (lambda raw: raw.write_bytes(b""), "is empty (0 bytes)"),
    (cut_short, "is no whole Parquet file"),
    (nan_margin, "row 200: margin is nan, must be a finite number"),
    (same_sides, "in every row chosen and rejected do the same, so none is kept"),
]


@pytest.mark.parametrize(("spoil", "rule"), BAD, ids=[rule for _, rule in BAD])
def test_a_bad_raw_file_is_named_leaves_nothing_and_a_good_one_works_again(
    root: Path, spoil: Callable[[Path], object], rule: str
) -> None:
    good = (root / RAW).read_bytes()
    spoil(root / RAW)
    with pytest.raises(InputError) as caught:
        dedup(root, PARAMS)
    assert str(caught.value).startswith(f"{root / RAW}: {rule}")
    assert [path.name for path in (root / "data").iterdir()] == ["raw"]
    (root / RAW).write_bytes(good)
    dedup(root, PARAMS)
    digests(root)


def test_the_door_says_what_is_wrong_in_its_last_line_and_fails(root: Path) -> None:
    nan_margin(root / RAW)
    stage = door(root)
    lines = stage.communicate()[1].splitlines()
    assert stage.returncode == 2
    assert lines[-1] == (
        "dedup: data/raw/pairs-4b.parquet: row 200: margin is nan, must be a finite number; "
        "mend this row (rows count from 0) or make the file again"
    )
    assert not any("Traceback" in line for line in lines)


@pytest.mark.parametrize("room", [5_000, 40_000])
def test_a_full_disk_is_one_clear_error_and_leaves_nothing(root: Path, room: int) -> None:
    """A limit on file size stands for the full disk; Python ignores its signal."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, old[1]))
    try:
        with pytest.raises(DiskError, match="file too large; make room") as caught:
            dedup(root, PARAMS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert "\n" not in str(caught.value)
    assert [path.name for path in (root / "data").iterdir()] == ["raw"]
    dedup(root, PARAMS)
    digests(root)


def test_a_killed_stage_leaves_no_output_and_the_next_run_is_undisturbed(root: Path) -> None:
    write_pairs(root / RAW, example_pairs(1000, 0, duplicates=100))
    half = root / "data" / ".dedup.part" / ".pairs.parquet.part"
    stage = door(root)
    while stage.poll() is None and not (half.exists() and half.stat().st_size):
        time.sleep(0.005)
    stage.send_signal(signal.SIGKILL)
    stage.communicate()
    assert stage.returncode == -signal.SIGKILL
    assert half.exists()
    assert not (root / OUT).exists()
    dedup(root, PARAMS)
    after = digests(root)
    assert [path.name for path in (root / "data").iterdir() if "part" in path.name] == []
    shutil.rmtree(root / OUT)
    dedup(root, PARAMS)
    assert digests(root) == after


PEAK = """
import sys
from pathlib import Path
from reproof.flow.dedup import dedup
from reproof.ground.params import read_params
dedup(Path(sys.argv[1]), read_params(Path(sys.argv[1], "params.yaml")))
status = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


def peak_mib(root: Path) -> float:
    """The most resident memory of a process that does nothing but dedup."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(root)], check=True, capture_output=True, text=True
    )
    return int(done.stdout) / 1024


def write_heavy(raw: Path, rows: int, rows_a_group: int) -> None:
    """A file of about 100 kB a row, as another writer would leave it."""
    noise = random.Random(0).randbytes(20_000)
    table = pa.Table.from_pylist(
        [
            asdict(pair) | {"processed_images": [i + noise for i in pair.processed_images]}
            for pair in example_pairs(rows, 0)
        ],
        schema=SCHEMA,
    )
    pq.write_table(table, raw, rows_a_group, compression="none", use_dictionary=False)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_bytes_of_the_file(root: Path) -> None:
    """Seven times the rows are 60 MB more of file; one batch of it is held."""
    peaks: list[float] = []
    for rows in (100, 700):
        write_heavy(root / RAW, rows, rows_a_group=64)
        peaks.append(peak_mib(root))
    assert (root / RAW).stat().st_size > 65e6
    assert peaks[1] - peaks[0] < 30


def test_a_file_in_one_row_group_is_not_held_at_once(root: Path) -> None:
    """Others write few large groups; what Arrow holds is a batch and a page of each column."""
    write_heavy(root / RAW, 1000, rows_a_group=1000)
    assert (root / RAW).stat().st_size > 95e6
    before = pa.total_allocated_bytes()
    held = max(pa.total_allocated_bytes() - before for _ in read_pairs(root / RAW))
    assert held < 50e6


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_rows(root: Path) -> None:
    """18,000 more pairs, at some 200 bytes each."""
    peaks: list[float] = []
    for count in (2000, 20_000):
        write_pairs(root / RAW, example_pairs(count, 0))
        peaks.append(peak_mib(root))
    assert peaks[1] - peaks[0] < 12
