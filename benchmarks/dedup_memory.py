"""Peak memory and time of dedup as the raw file grows: `python benchmarks/dedup_memory.py`.

A quarter of the rows repeats an earlier one. What still grows is one digest and a few
numbers for each different pair; the last column says how many bytes that is.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

_ROWS = (2_000, 20_000, 200_000)
_MAKE = """
import sys
from pathlib import Path
from reproof.pairs.example import example_pairs
from reproof.pairs.pair import write_pairs
rows = int(sys.argv[2])
kept = rows * 4 // 5
write_pairs(Path(sys.argv[1], "data/raw/pairs-4b.parquet"), example_pairs(kept, 0, rows - kept))
"""
# VmHWM is the peak of this process alone; ru_maxrss would start from the parent's.
_DEDUP = """
import sys, time
from pathlib import Path
from reproof.flow.dedup import dedup
from reproof.ground.params import read_params
start = time.perf_counter()
dedup(Path(sys.argv[1]), read_params(Path(sys.argv[2])))
seconds = time.perf_counter() - start
status = Path("/proc/self/status").read_text().splitlines()
peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
print(peak, seconds)
"""
_PARAMS = Path(__file__).resolve().parents[1] / "params.yaml"


def measure(rows: int) -> tuple[int, int, float]:
    """File size in bytes, peak resident memory in bytes and seconds, in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        _python(_MAKE, folder, str(rows))
        size = Path(folder, "data/raw/pairs-4b.parquet").stat().st_size
        peak, seconds = _python(_DEDUP, folder, str(_PARAMS)).split()
    return size, int(peak) * 1024, float(seconds)


def _python(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def main(row_counts: tuple[int, ...]) -> None:
    """Print the table, each row measured against the first."""
    print(f"{'rows':>8} {'file MiB':>9} {'peak MiB':>9} {'rows/s':>7} {'bytes a row more':>17}")
    first: tuple[int, int] | None = None
    for rows in row_counts:
        size, peak, seconds = measure(rows)
        first = first or (rows, peak)
        grown = (peak - first[1]) / (rows - first[0]) if rows > first[0] else 0
        speed = rows / seconds
        print(f"{rows:8} {size / 2**20:9.1f} {peak / 2**20:9.1f} {speed:7.0f} {grown:17.0f}")


if __name__ == "__main__":
    main(tuple(int(rows) for rows in sys.argv[1:]) or _ROWS)
