"""Pin what decides the last bit of a CPU result, before any numeric library is loaded.

Two x86-64 machines give the same bytes only if they take the same code paths: the same number
of threads, the same instruction set, the same kernel of the same library. Libraries read these
choices once, when the process starts, so `enter` starts the interpreter again with them.

Out of reach: `torch.sqrt` of a tensor, and so every AdamW that is not the fused one
(docs/decisions/0001-cpu-pins.md).
"""

import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from reproof.ground.canon import sha256_of
from reproof.ground.errors import ParamsError, StageError

SCALES = ("tiny", "paper")
GUARD = "REPROOF_PINS"
OFF = "off"

_ANY_MACHINE: Mapping[str, str] = MappingProxyType(
    {
        # A sum split over threads is added up in another order.
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_DYNAMIC": "FALSE",
        # A machine with a GPU must not use it here.
        "CUDA_VISIBLE_DEVICES": "",
        # The order in which a set of texts is walked.
        "PYTHONHASHSEED": "0",
    }
)

_X86: Mapping[str, str] = MappingProxyType(
    {
        # torch's own vector code: AVX-512 adds up sixteen lanes where AVX2 adds up eight.
        "ATEN_CPU_CAPABILITY": "avx2",
        # Matrix products. Every branch but this one is chosen by the maker of the processor:
        # on AMD, MKL takes AVX2 for AUTO without saying so.
        "MKL_CBWR": "COMPATIBLE",
        # Convolutions, which oneDNN compiles for the machine it finds.
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "ONEDNN_DEFAULT_FPMATH_MODE": "STRICT",
        # numpy and scipy: their products, and their vector code.
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    }
)

PINS: Mapping[str, str] = MappingProxyType({**_ANY_MACHINE, **_X86})
"""Every variable that is pinned on x86-64. Elsewhere the instruction sets are left alone:
results are then the same on the same kind of machine only."""

QUIET: Mapping[str, str] = MappingProxyType(
    {
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "DO_NOT_TRACK": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
)
"""Set along with the pins: no bit depends on them, but nothing is asked of a network."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """What a process was asked to pin and what it found in its environment."""

    wanted: Mapping[str, str]
    found: Mapping[str, str | None]

    @property
    def differing(self) -> tuple[str, ...]:
        """The variables that do not hold what was wanted, by name."""
        return tuple(name for name in sorted(self.wanted) if self.found[name] != self.wanted[name])

    def to_json(self) -> dict[str, object]:
        """For the record: the same on every machine where all pins hold."""
        return {
            "found": dict(self.found),
            "pinned": not self.differing,
            "wanted": dict(self.wanted),
        }


def pins(machine: str) -> Mapping[str, str]:
    """The variables to pin on a kind of machine, as `platform.machine()` names it."""
    return PINS if machine.lower() in ("x86_64", "amd64") else _ANY_MACHINE


def pinned_environment(environ: Mapping[str, str], machine: str) -> dict[str, str]:
    """The environment with every pin set, and the guard that says so.

    Doing it twice changes nothing more; what is not pinned stays as it was.
    """
    wanted = pins(machine)
    return {**environ, **QUIET, **wanted, GUARD: sha256_of(dict(wanted))}


def read_pins(environ: Mapping[str, str], machine: str) -> Pinned:
    """What is pinned in an environment, for the record."""
    wanted = pins(machine)
    return Pinned(wanted, {name: environ.get(name) for name in wanted})


def current() -> Pinned:
    """What is pinned in this process."""
    return read_pins(os.environ, platform.machine())


def enter(scale: str) -> None:
    """Go on in a pinned process: at scale tiny the interpreter starts again, once.

    To be called by a stage's door before anything heavy is imported. Nothing happens at other
    scales, nor with REPROOF_PINS=off, which gives up equal bytes and is seen in the record.
    Raises ParamsError for an unknown scale, StageError where the pins cannot hold.
    """
    if scale not in SCALES:
        raise ParamsError(
            "params.yaml: scale",
            f"{scale!r} is not one of {', '.join(SCALES)}",
            "choose one of them",
        )
    if scale != "tiny" or os.environ.get(GUARD) == OFF or _is_pinned():
        return
    _demand_avx2(Path("/proc/cpuinfo"))
    sys.stdout.flush()
    sys.stderr.flush()
    environment = pinned_environment(os.environ, platform.machine())
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def _is_pinned() -> bool:
    """True in the process that `enter` started, or in a child of it."""
    wanted = pins(platform.machine())
    if os.environ.get(GUARD) != sha256_of(dict(wanted)):
        return False
    if differing := current().differing:
        raise StageError(
            f"environment: {', '.join(differing)}",
            "changed after it was pinned",
            f"unset {GUARD} and run again",
        )
    return True


def _demand_avx2(cpuinfo: Path) -> None:
    """Refuse a processor that would stop at an instruction it does not know."""
    if pins(platform.machine()) is not PINS or not cpuinfo.exists():
        return
    flags = set(cpuinfo.read_text(encoding="utf-8", errors="replace").split())
    if not {"avx2", "fma"} <= flags:
        raise StageError(
            "this processor",
            "has no AVX2 and FMA, so its bits cannot be pinned",
            f"use another machine, or set {GUARD}={OFF} and give up equal bytes",
        )
