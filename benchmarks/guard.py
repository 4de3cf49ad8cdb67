"""What the guard costs: `python benchmarks/guard.py`.

First each stage that was run here: its seconds and those of the guard around it, as the guard
itself took them down (2 % is the most it may add). Then what the watch adds to the opening of a
file, against the same without, in processor time.
"""

import sys
import tempfile
import time
from pathlib import Path

from reproof.ground.watch import watching
from reproof.record.guard import FOLDER, reports_of

_ROOT = Path(__file__).resolve().parents[1]
_OPENS = 20_000
_MOST = 0.02


def shares(root: Path) -> list[tuple[str, float, float]]:
    """Stage, its seconds and the guard's, of every report on this machine."""
    stages = sorted(path.name for path in (root / FOLDER / "guards").glob("*"))
    reports = [report for stage in stages for report in reports_of(root, stage)]
    return [(report.stage, report.stage_seconds, report.guard_seconds) for report in reports]


def seconds_an_open(path: Path) -> float:
    """Processor time to open a file that is there, and to close it again."""
    begun = time.process_time()
    for _ in range(_OPENS):
        path.open("rb").close()
    return (time.process_time() - begun) / _OPENS


def main() -> int:
    """Print both tables; 1 if a stage paid too much."""
    print(f"{'stage':<20} {'stage s':>9} {'guard s':>9} {'share':>7}")
    rows = shares(_ROOT)
    for stage, seconds, guard in rows:
        print(f"{stage:<20} {seconds:>9.2f} {guard:>9.3f} {guard / seconds:>7.2%}")
    if not rows:
        print("no stage was run here: `make run` first")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.touch()
        bare = seconds_an_open(path)
        with watching(Path(folder)):
            watched = seconds_an_open(path)
    print(f"\nopen and close a file: {bare * 1e6:.1f} us, watched {watched * 1e6:.1f} us")
    whole, around = sum(row[1] for row in rows), sum(row[2] for row in rows)
    return int(around > _MOST * whole)


if __name__ == "__main__":
    sys.exit(main())
