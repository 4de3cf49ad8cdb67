"""The real pipeline under DVC on a few pairs and tasks: killed, spoilt, repeated."""

import hashlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reproof.pairs.pair import read_pairs, write_pairs

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.slow

PAIRS = 10
RAW = Path("data/raw/pairs-4b.parquet")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The working tree as a repository of its own, with few raw pairs and few tasks."""
    folder = tmp_path_factory.mktemp("small") / "project"
    listed = git(ROOT, "ls-files", "-z").split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    few = list(itertools.islice(read_pairs(ROOT / RAW), PAIRS))
    write_pairs(folder / RAW, few)
    params = (folder / "params.yaml").read_text().replace("tasks: 256", "tasks: 13")
    (folder / "params.yaml").write_text(params)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "-m", "small")
    return folder


@pytest.fixture(scope="module")
def undisturbed(small: Path) -> Path:
    """The same project after `dvc repro train-epoch@2` that nobody disturbed."""
    folder = small.with_name("undisturbed")
    shutil.copytree(small, folder)
    done = dvc(folder, "repro", "train-epoch@2")
    assert done.returncode == 0, done.stderr
    return folder


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode()


def environment(folder: Path) -> dict[str, str]:
    """The project's own code and this Python; nothing reports home."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "DVC_NO_ANALYTICS": "1", "PYTHONPATH": str(folder / "src")}


def dvc(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dvc", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(folder), capture_output=True, text=True
    )


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def wait_for(paths: Iterator[Path], seconds: float) -> None:
    end = time.monotonic() + seconds
    wanted = list(paths)
    while not any(path.exists() for path in wanted):
        assert time.monotonic() < end, f"none of {wanted} appeared"
        time.sleep(0.05)


def test_a_run_killed_in_epoch_2_goes_on_to_the_same_bytes(small: Path, undisturbed: Path) -> None:
    folder = small.with_name("killed")
    shutil.copytree(small, folder)
    command = [sys.executable, "-m", "dvc", "repro", "train-epoch@2"]
    running = subprocess.Popen(
        command,
        cwd=folder,
        env=environment(folder),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for(iter([folder / "models/.epoch-2.part"]), 600)
    time.sleep(3)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert not (folder / "models/epoch-2").exists()

    again = dvc(folder, "repro", "train-epoch@2")
    assert again.returncode == 0, again.stderr
    for name in ("models/epoch-1", "models/epoch-2", "data/signals", "data/dedup"):
        assert digests(folder / name) == digests(undisturbed / name)
    assert (folder / "dvc.lock").read_bytes() == (undisturbed / "dvc.lock").read_bytes()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        ("missing", "pairs-4b.parquet"),
        ("empty", "pairs-4b.parquet"),
        ("truncated", "pairs-4b.parquet"),
    ],
)
def test_a_bad_raw_file_ends_with_one_line_and_works_again_when_mended(
    small: Path, tmp_path: Path, spoil: str, says: str
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(small, folder)
    whole = (folder / RAW).read_bytes()
    if spoil == "missing":
        (folder / RAW).unlink()
    else:
        (folder / RAW).write_bytes(whole[: len(whole) // 2 if spoil == "truncated" else 0])
    failed = dvc(folder, "repro", "dedup")
    assert failed.returncode != 0
    assert says in failed.stderr
    assert "Traceback" not in failed.stderr
    assert not (folder / "data/dedup/pairs.parquet").exists()
    (folder / RAW).write_bytes(whole)
    assert dvc(folder, "repro", "dedup").returncode == 0


@pytest.mark.parametrize(
    ("line", "other", "says"),
    [
        ("negatives: 4b", "negatives: 7b", "negatives"),
        ("  epochs: 3", "  epochs: 4", "train.epochs"),
        ("  epochs: 3", "  epoch: 3", "did you mean train.epochs"),
    ],
)
def test_a_bad_parameter_is_named_before_anything_runs(
    small: Path, tmp_path: Path, line: str, other: str, says: str
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(small, folder)
    text = (folder / "params.yaml").read_text()
    assert line in text
    (folder / "params.yaml").write_text(text.replace(line, other))
    done = subprocess.run(
        [sys.executable, "stages/dedup.py"],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
