"""Ask the machine what it is, and which switches are set. Nothing else of the environment is read.

Environment variables are read by an allow-list and their values must look like
settings, so that no password can come out, wherever somebody put it.
"""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reproof.ground.pins import PINS
from reproof.ground.unknown import Unknown
from reproof.record.world import Gpu, Machine, Setting

THREADS = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "MKL_DYNAMIC",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
)
SWITCHES = tuple(
    sorted(
        {*PINS} - {*THREADS}
        | {
            "CUBLAS_WORKSPACE_CONFIG",
            "CUDA_LAUNCH_BLOCKING",
            "DNNL_MAX_CPU_ISA",
            "FLASH_ATTENTION_DETERMINISTIC",
            "GLIBC_TUNABLES",
            "MKL_ENABLE_INSTRUCTIONS",
            "NVIDIA_TF32_OVERRIDE",
            "VLLM_BATCH_INVARIANT",
        }
    )
)
_SETTING = re.compile(r"[A-Za-z0-9_.,:;=+ -]{0,120}")
_SECRET = re.compile(r"[A-Za-z0-9+_-]{24,}")
_GPU_QUERY = "name,driver_version,memory.total"
Answer = str | int | bool | Unknown
_NOT_ASKED = Unknown("it cannot be asked")
_NO_TORCH = Unknown("torch is not loaded in the process that wrote the record")


def probe_machine(proc: Path = Path("/proc")) -> Machine:
    """The computer under us; `proc` is where Linux tells about itself."""
    cpu = _cpuinfo(proc / "cpuinfo")
    return Machine(
        system=platform.system(),
        release=platform.release(),
        architecture=platform.machine(),
        cpu_model=_cpu_model(cpu),
        cpu_flags=_cpu_flags(cpu),
        cores=_cores(),
        cores_present=os.cpu_count() or Unknown("the system does not say"),
        memory_bytes=_memory_bytes(proc / "meminfo"),
        gpus=probe_gpus(),
        container=_container(proc),
    )


def probe_threads(environ: Mapping[str, str]) -> dict[str, Setting]:
    """Settings that decide how many threads compute, and what loaded libraries say of it."""
    torch: Any = sys.modules.get("torch")
    answers: dict[str, Answer] = {"OPENBLAS_NUM_THREADS": _openblas("num_threads")}
    settings = _settings(environ, THREADS, answers)
    count = _NO_TORCH if torch is None else int(torch.get_num_threads())
    return settings | {"torch": Setting(None, count)}


def probe_switches(environ: Mapping[str, str]) -> dict[str, Setting]:
    """Settings that decide which instructions compute, and what loaded libraries say of it."""
    torch: Any = sys.modules.get("torch")
    answers: dict[str, Answer] = {
        "ATEN_CPU_CAPABILITY": _NO_TORCH,
        "OPENBLAS_CORETYPE": _openblas("architecture"),
        "torch.deterministic": _NO_TORCH,
    }
    if torch is not None:
        answers["ATEN_CPU_CAPABILITY"] = str(torch.backends.cpu.get_cpu_capability())
        answers["torch.deterministic"] = bool(torch.are_deterministic_algorithms_enabled())
    return _settings(environ, (*SWITCHES, "torch.deterministic"), answers)


def _settings(
    environ: Mapping[str, str], names: Iterable[str], answers: Mapping[str, Answer]
) -> dict[str, Setting]:
    return {name: Setting(pinned(environ, name), answers.get(name, _NOT_ASKED)) for name in names}


def _openblas(question: str) -> Answer:
    """What the OpenBLAS of numpy says, in the process that writes the record."""
    from threadpoolctl import threadpool_info

    for library in threadpool_info():
        if library.get("internal_api") == "openblas" and question in library:
            answer: str | int = library[question]
            return answer
    return Unknown("no OpenBLAS is loaded in the process that wrote the record")


def pinned(environ: Mapping[str, str], name: str) -> str | Unknown | None:
    """Value of an environment variable, if it looks like a setting and not like a secret."""
    value = environ.get(name)
    if value is None:
        return None
    if _SETTING.fullmatch(value) and not _SECRET.search(value):
        return value
    return Unknown("the value does not look like a setting and is not shown")


def probe_gpus(command: str = "nvidia-smi") -> tuple[Gpu, ...] | Unknown:
    """What the driver's own tool lists."""
    call = [command, f"--query-gpu={_GPU_QUERY}", "--format=csv,noheader,nounits"]
    try:
        answer = subprocess.run(call, capture_output=True, text=True, timeout=20, check=True)
        return tuple(_gpu(line) for line in answer.stdout.splitlines() if line.strip())
    except FileNotFoundError:
        return Unknown(f"{command} is not there")
    except (OSError, ValueError, subprocess.SubprocessError):
        return Unknown(f"{command} gave no list")


def _gpu(line: str) -> Gpu:
    name, driver, memory = (part.strip() for part in line.rsplit(",", 2))
    return Gpu(name, driver, int(memory))


def _cpuinfo(path: Path) -> dict[str, str]:
    """The first processor's lines; empty where there is no such file."""
    try:
        block = path.read_text().split("\n\n", 1)[0]
    except OSError:
        return {}
    pairs = (line.split(":", 1) for line in block.splitlines() if ":" in line)
    return {key.strip(): value.strip() for key, value in pairs}


def _cpu_model(cpu: Mapping[str, str]) -> str | Unknown:
    name = cpu.get("model name") or platform.processor()
    return name or Unknown("the system does not say")


def _cpu_flags(cpu: Mapping[str, str]) -> tuple[str, ...] | Unknown:
    """x86 says flags, Arm says Features. Sorted, as their order means nothing."""
    flags = cpu.get("flags") or cpu.get("Features")
    return tuple(sorted(set(flags.split()))) if flags else Unknown("/proc/cpuinfo does not say")


def _cores() -> int | Unknown:
    """Cores this process may run on, which in a container is not all there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or Unknown("the system does not say")


def _memory_bytes(path: Path) -> int | Unknown:
    try:
        match = re.search(r"^MemTotal:\s+(\d+) kB", path.read_text(), re.MULTILINE)
    except OSError:
        match = None
    return int(match[1]) * 1024 if match else Unknown("/proc/meminfo does not say")


def _container(proc: Path) -> str | Unknown:
    """The kind of container. Which image it is cannot be seen from inside."""
    for mark, kind in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman")):
        if Path(mark).exists():
            return kind
    try:
        groups = (proc / "1" / "cgroup").read_text()
    except OSError:
        return Unknown("the system does not say")
    match = re.search(r"kubepods|docker|containerd|lxc", groups)
    return match[0] if match else "none seen"
