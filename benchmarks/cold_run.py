"""The whole job in a fresh clone: where the time goes, and what a second run costs.

    python benchmarks/cold_run.py

Clones the committed state to a scratch folder, installs, runs `make run` twice, and holds
`dvc repro` with nothing to do against plain `dvc status`.
"""

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_STAGE = re.compile(r"Running stage '([^']+)'")


def timed(command: list[str], folder: Path) -> float:
    """Wall seconds of a command that must succeed."""
    began = time.monotonic()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def stage_seconds(folder: Path) -> Iterator[tuple[str, float]]:
    """Run `make run`; each stage with its wall seconds, then the rest."""
    name, began = "before the first stage", time.monotonic()
    command = subprocess.Popen(["make", "run"], cwd=folder, stdout=subprocess.PIPE, text=True)
    assert command.stdout is not None
    for line in command.stdout:
        if found := _STAGE.search(line):
            yield name, time.monotonic() - began
            name, began = found.group(1), time.monotonic()
    yield name, time.monotonic() - began
    if command.wait():
        sys.exit(f"make run failed with {command.returncode}")


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        print(f"{'make install':24}{timed(['make', 'install'], clone):8.1f} s")
        total = 0.0
        for name, seconds in stage_seconds(clone):
            print(f"{name:24}{seconds:8.1f} s", flush=True)
            total += seconds
        print(f"{'make run, cold':24}{total:8.1f} s")
        print(f"{'make run, again':24}{timed(['make', 'run'], clone):8.1f} s")
        dvc = str(clone / ".venv/bin/dvc")
        repro = timed([dvc, "repro", "compare"], clone)
        status = timed([dvc, "status"], clone)
        print(f"{'dvc repro, no change':24}{repro:8.1f} s")
        print(f"{'dvc status':24}{status:8.1f} s")
        print(f"{'ratio':24}{repro / status:8.2f} ×")
        lock = subprocess.run(["git", "diff", "--exit-code", "--stat", "dvc.lock"], cwd=clone)
        print(f"{'dvc.lock as committed':24}{'no' if lock.returncode else 'yes':>8}")


if __name__ == "__main__":
    main()
