"""Write the golden files again: `PYTHONPATH=src:. python -m tests.record.make_golden`.

The record of a released schema is never written again; a new schema gets a new file.
"""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from reproof.flow.record import assemble
from reproof.ground.files import write_json, write_whole
from reproof.ground.unknown import Unknown
from reproof.record.record import RunRecord, read_record
from reproof.record.world import Environment, Machine, PackageDifference, Packages, Setting
from reproof.render.run_info import run_info_text
from tests.record.project import write_project

GOLDEN = Path(__file__).with_name("golden")


def golden_record() -> RunRecord:
    """A real record of the small project, on a machine that never was."""
    with TemporaryDirectory() as folder:
        now = datetime(2026, 12, 1, 4, 30, tzinfo=UTC)
        logged = {"uri": "sqlite:///mlflow.db", "stages": ["dedup", "train-epoch@1"]}
        run = assemble(write_project(Path(folder)), now, {}, logged)
    git = run.git
    assert not isinstance(git, Unknown)
    git = replace(git, commit="c" * 40, remote="https://example.org/team/run.git")
    return replace(run, git=git, environment=_environment(), reproof_version="0.1.0")


def _environment() -> Environment:
    differences = (PackageDifference("numpy", "2.4.6", "2.4.5"),)
    off = Unknown("torch is not loaded in the process that wrote the record")
    return Environment(
        python="3.11.7",
        implementation="cpython",
        packages=Packages("requirements.lock", "1" * 64, {"numpy": "2.4.5"}, differences),
        machine=Machine(
            system="Linux",
            release="6.1",
            architecture="x86_64",
            cpu_model="A CPU",
            cpu_flags=("avx2", "fma"),
            cores=2,
            cores_present=4,
            memory_bytes=8 << 30,
            gpus=Unknown("nvidia-smi is not there"),
            container="none seen",
        ),
        threads={"OMP_NUM_THREADS": Setting("1", Unknown("it cannot be asked"))},
        switches={
            "ATEN_CPU_CAPABILITY": Setting("avx2", off),
            "CUDA_VISIBLE_DEVICES": Setting("", Unknown("it cannot be asked")),
            "torch.deterministic": Setting(None, True),
        },
    )


if __name__ == "__main__":
    record_path = GOLDEN / "run_info.v1.json"
    if "--record" in sys.argv:
        write_json(record_path, golden_record().to_json())
    write_whole(GOLDEN / "run_info.txt", run_info_text(read_record(record_path)))
