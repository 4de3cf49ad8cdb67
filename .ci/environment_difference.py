"""When bytes differ: which environment fact differs between the committed record and this run.

Standard library only, so that it can speak even where the environment is what is broken.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RECORD = Path("run_info/run_info.json")


def main() -> int:
    """Print one line a differing fact; 0 always, since the verdict is another command's."""
    committed, ours = committed_record(), current_record()
    if committed is None or ours is None:
        print(f"environment: no {RECORD} {'committed' if ours else 'here'} to compare with")
        return 0
    before, now = dict(facts(committed)), dict(facts(ours))
    names = sorted(before.keys() | now.keys())
    differing = [name for name in names if before.get(name) != now.get(name)]
    for name in differing:
        print(f"environment: {name}: committed {before.get(name)!r}, here {now.get(name)!r}")
    if not differing:
        print("environment: every recorded fact is the same, so the cause is not among them")
    return 0


def committed_record() -> Any | None:
    """The record at HEAD, or None if there is none."""
    command = ["git", "show", f"HEAD:{RECORD.as_posix()}"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(found.stdout) if found.returncode == 0 else None


def current_record() -> Any | None:
    """The record that the run has just written, or None."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else None


def facts(record: Any) -> Iterator[tuple[str, Any]]:
    """The environment's facts, flat: `packages.torch`, `pins.found.MKL_CBWR`."""
    yield from flat("", record.get("environment", {}))


def flat(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Every leaf of nested mappings with its dotted name."""
    if not isinstance(value, dict):
        yield prefix.strip("."), value
        return
    for key, inner in value.items():
        yield from flat(f"{prefix}.{key}", inner)


if __name__ == "__main__":
    sys.exit(main())
