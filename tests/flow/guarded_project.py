"""A small project whose stages go through run_stage, each in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

PARAMS = Path(__file__).parents[2] / "params.yaml"
DOOR = """
from pathlib import Path
from reproof.flow.stage import run_stage
from code_of import body
run_stage("make", body)
"""
STAGE: dict[str, Any] = {
    "cmd": f"{sys.executable} make.py",
    "deps": ["make.py", "code_of.py", "raw", "given.txt"],
    "params": ["seed", "train"],
    "outs": ["out/made.txt"],
}


def write_project(root: Path, body: str, **changes: Any) -> Path:
    """A project with one stage, `make`; `body` is the text of its function's block."""
    (root / "raw/deep").mkdir(parents=True)
    (root / "raw/a.txt").write_text("a\n")
    (root / "raw/deep/b.txt").write_text("b\n")
    (root / "given.txt").write_text("given\n")
    (root / "secret.txt").write_text("nobody declared me\n")
    (root / "params.yaml").write_text(PARAMS.read_text())
    (root / "make.py").write_text(DOOR)
    lines = ["root.joinpath('out').mkdir(exist_ok=True)", *body.strip().splitlines()]
    indented = "".join(f"    {line}\n" for line in lines)
    (root / "code_of.py").write_text(f"def body(root, params):\n{indented}")
    (root / "dvc.yaml").write_text(yaml.safe_dump({"stages": {"make": {**STAGE, **changes}}}))
    return root


def run(root: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the stage as DVC would; unpinned, as no number is computed here."""
    call = [sys.executable, "make.py"]
    whole = {
        **os.environ,
        "REPROOF_PINS": "off",
        "PYTHONPATH": os.pathsep.join(sys.path),
        **environ,
    }
    return subprocess.run(call, cwd=root, env=whole, capture_output=True, text=True, check=False)
