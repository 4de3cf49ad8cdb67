"""Which operations give the same bytes on another processor, with every pin set?

Without an argument: one fingerprint an operation, to be compared with another machine's. With
the command of an emulator: runs here and under it, and names the operations that differ.

    python benchmarks/cpu_ops.py [qemu-x86_64 -cpu Haswell-noTSX]
"""

import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reproof.ground.pins import pinned_environment


def main(emulator: list[str]) -> None:
    """Print this machine's fingerprints, or the comparison with an emulated one."""
    here = _run([])
    if not emulator:
        print("".join(f"{name:14}{digest}\n" for name, digest in here.items()), end="")
        return
    there = _run(emulator)
    differing = [name for name in here if here[name] != there.get(name)]
    print(f"{len(here)} operations, here and under {' '.join(emulator)}")
    print(f"other bytes: {', '.join(differing) or 'none'}")


def _run(emulator: list[str]) -> dict[str, str]:
    # The real interpreter, since an emulator does not follow the environment's link; its
    # packages are named instead.
    environ = pinned_environment(os.environ, platform.machine())
    environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    command = [*emulator, str(Path(sys.executable).resolve()), __file__, "--print"]
    output = subprocess.run(command, env=environ, check=True, stdout=subprocess.PIPE, text=True)
    return dict(line.rsplit(" ", 1) for line in output.stdout.splitlines())


def operations() -> Iterator[tuple[str, Any]]:
    """Name and result, a tensor or an array, of what training and evaluation are made of."""
    import numpy as np
    import torch
    from torch.nn import functional

    torch.manual_seed(0)
    yield "rand", torch.rand(1000)
    yield "randn", torch.randn(1000)
    for rows, inner, columns in ((8, 16, 8), (64, 128, 128), (256, 512, 128), (16, 2000, 300)):
        yield f"{rows}x{inner}x{columns}", torch.rand(rows, inner) @ torch.rand(inner, columns)
    x = (torch.rand(4, 256, 128) - 0.5) * 5
    for name in ("exp", "tanh", "sigmoid", "erf", "sin", "cos"):
        yield name, getattr(torch, name)(x)
    for name in ("log", "sqrt", "rsqrt"):
        yield name, getattr(torch, name)(x.abs() + 0.1)
    yield "gelu", functional.gelu(x)
    yield "silu", functional.silu(x)
    yield "softmax", x.softmax(-1)
    yield "sum", x.sum()
    yield "norm", x.norm()
    yield "layer_norm", functional.layer_norm(x, (128,))
    heads = x.view(4, 4, 64, 128)
    yield "attention", functional.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
    yield (
        "conv2d",
        functional.conv2d(torch.rand(4, 3, 64, 64), torch.rand(32, 3, 16, 16), stride=16),
    )
    for fused in (True, False):
        yield ("adamw fused" if fused else "adamw"), _trained(x, fused)
    array = np.random.default_rng(0).random((100, 200)).astype(np.float32)
    yield "numpy product", array @ array.T
    yield "numpy exp", np.exp(array)


def _trained(x: Any, fused: bool) -> Any:
    import torch

    layer = torch.nn.Linear(128, 300)
    optimizer = torch.optim.AdamW(layer.parameters(), lr=1e-3, fused=fused)
    loss = torch.nn.functional.cross_entropy(layer(x.flatten(0, 1)), torch.arange(1024) % 300)
    loss.backward()
    optimizer.step()
    return layer.weight.detach()


def _digest(value: Any) -> str:
    array = value.contiguous().numpy() if hasattr(value, "numpy") else value
    return hashlib.sha256(array.tobytes()).hexdigest()[:12]


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        for operation, result in operations():
            print(operation, _digest(result), flush=True)
    else:
        main(sys.argv[1:])
