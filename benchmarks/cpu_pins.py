"""Does pinning the CPU matter, and what does it cost?

Trains one small transformer for a few steps in fresh processes, as different machines would, and
prints the SHA-256 of the final weights. Other machines are stood in for by the variables through
which the libraries choose their code: what an older or newer processor would choose by itself.

    python benchmarks/cpu_pins.py [STEPS]
"""

import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

from reproof.ground.pins import GUARD, PINS, QUIET, pinned_environment

STEPS = 30
MACHINES: Mapping[str, Mapping[str, str]] = {
    "this machine": {},
    "one core": {"OMP_NUM_THREADS": "1"},
    "one core, no AVX2 in torch": {"OMP_NUM_THREADS": "1", "ATEN_CPU_CAPABILITY": "default"},
    "one core, no AVX2 in MKL": {"OMP_NUM_THREADS": "1", "MKL_CBWR": "COMPATIBLE"},
    "one core, no AVX2 in oneDNN": {"OMP_NUM_THREADS": "1", "ONEDNN_MAX_CPU_ISA": "SSE41"},
}


@dataclass(frozen=True, slots=True)
class Trained:
    """One training: the weights' SHA-256 and the median CPU seconds of a step."""

    sha256: str
    seconds: float


def main() -> None:
    """Print the table: each machine as it is, and pinned."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else STEPS
    rows = [(name, *_both(extra, steps)) for name, extra in MACHINES.items()]
    free = {row[1].sha256 for row in rows}
    bound = {row[2].sha256 for row in rows}
    base = next(unpinned.seconds for name, unpinned, _ in rows if name == "one core")
    print(f"{'':29}{'as it is':>18}{'pinned':>18}{'cost':>9}")
    for name, unpinned, pinned in rows:
        print(f"{name:29}{_cell(unpinned)}{_cell(pinned)}{pinned.seconds / base:8.2f}x")
    print(
        f"{steps} steps; weights' SHA-256 (first 8), CPU ms a step; cost: against one core as it is"
    )
    print(f"different weights: {len(free)} as it is, {len(bound)} pinned")


def _both(extra: Mapping[str, str], steps: int) -> tuple[Trained, Trained]:
    free = {name: value for name, value in os.environ.items() if name not in {*PINS, GUARD}}
    machine = {**free, **QUIET, **extra}
    return _run(machine, steps), _run(pinned_environment(machine, platform.machine()), steps)


def _run(environ: Mapping[str, str], steps: int) -> Trained:
    command = [sys.executable, __file__, "--train", str(steps)]
    output = subprocess.run(command, env=environ, check=True, capture_output=True, text=True)
    return Trained(**json.loads(output.stdout))


def _cell(trained: Trained) -> str:
    return f"{trained.sha256[:8]:>10}{trained.seconds * 1000:5.0f} ms"


def train(steps: int) -> Trained:
    """Train on fixed random data: patches by convolution, attention, normalisation, AdamW."""
    import torch

    torch.manual_seed(0)
    patches, head = torch.nn.Conv2d(3, 128, 16, 16), torch.nn.Linear(128, 300)
    layer = torch.nn.TransformerEncoderLayer(
        128, 4, 512, 0.0, "gelu", batch_first=True, norm_first=True
    )
    encoder = torch.nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
    weights = [*patches.parameters(), *encoder.parameters(), *head.parameters()]
    # Fused: the other ones take MKL's square root, which no pin makes the same everywhere.
    optimizer = torch.optim.AdamW(weights, lr=1e-3, fused=True)
    images, targets = torch.rand(4, 3, 128, 128), torch.randint(300, (4 * 64,))
    times = []
    for _ in range(steps):
        begun = time.process_time()
        tokens = encoder(patches(images).flatten(2).transpose(1, 2))
        loss = torch.nn.functional.cross_entropy(head(tokens).flatten(0, 1), targets)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        times.append(time.process_time() - begun)
    digest = hashlib.sha256(b"".join(weight.detach().numpy().tobytes() for weight in weights))
    return Trained(digest.hexdigest(), sorted(times)[len(times) // 2])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--train"]:
        done = train(int(sys.argv[2]))
        print(json.dumps({"sha256": done.sha256, "seconds": done.seconds}))
    else:
        main()
