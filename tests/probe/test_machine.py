import os
import platform
import sys
from pathlib import Path

import pytest

from reproof.ground.pins import PINS
from reproof.ground.unknown import Unknown
from reproof.probe.machine import (
    SWITCHES,
    THREADS,
    pinned,
    probe_gpus,
    probe_machine,
    probe_switches,
    probe_threads,
)
from reproof.record.codec import to_json
from reproof.record.world import Gpu, Setting

X86 = """processor	: 0
model name	: A CPU @ 2 GHz
flags		: sse2 avx2 fma avx2

processor	: 1
model name	: Another CPU
flags		: sse2
"""


def proc(folder: Path, cpuinfo: str, groups: str = "0::/\n") -> Path:
    (folder / "1").mkdir(parents=True)
    (folder / "cpuinfo").write_text(cpuinfo)
    (folder / "meminfo").write_text("MemTotal:       16 kB\nMemFree: 3 kB\n")
    (folder / "1" / "cgroup").write_text(groups)
    return folder


def test_the_first_processor_is_the_one_that_is_told(tmp_path: Path) -> None:
    machine = probe_machine(proc(tmp_path / "proc", X86))
    assert machine.cpu_model == "A CPU @ 2 GHz"
    assert machine.cpu_flags == ("avx2", "fma", "sse2")
    assert machine.memory_bytes == 16 * 1024


def test_arm_calls_its_flags_features(tmp_path: Path) -> None:
    machine = probe_machine(proc(tmp_path / "proc", "Features : fp asimd\n"))
    assert machine.cpu_flags == ("asimd", "fp")


def test_a_system_without_proc_says_so(tmp_path: Path) -> None:
    machine = probe_machine(tmp_path / "none")
    assert machine.cpu_flags == Unknown("/proc/cpuinfo does not say")
    assert machine.memory_bytes == Unknown("/proc/meminfo does not say")


def test_this_machine_is_the_one_that_python_knows() -> None:
    machine = probe_machine()
    assert (machine.system, machine.architecture) == (platform.system(), platform.machine())
    assert machine.cores_present == os.cpu_count()
    assert machine.cores == len(os.sched_getaffinity(0))


def test_the_name_of_the_machine_is_not_asked() -> None:
    assert platform.node() not in to_json(probe_machine()).values()


def test_every_pin_is_among_what_is_read() -> None:
    assert set(PINS) <= {*THREADS, *SWITCHES}


def test_nothing_but_the_allowed_is_read() -> None:
    asked: set[str] = set()

    class Watched(dict[str, str]):
        """An environment that remembers what it was asked."""

        def get(self, key: str, default: object = None) -> None:  # type: ignore[override]  # a double that knows nothing
            asked.add(key)

    probe_threads(Watched())
    probe_switches(Watched())
    assert asked == {*THREADS, *SWITCHES, "torch.deterministic"}


def test_settings_are_kept_as_they_are_set() -> None:
    environ = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    assert probe_threads(environ)["OMP_NUM_THREADS"].pinned == "1"
    assert probe_threads(environ)["MKL_NUM_THREADS"].pinned is None
    assert probe_switches(environ)["CUDA_VISIBLE_DEVICES"].pinned == ""


@pytest.mark.parametrize("value", PINS.values())
def test_every_pin_looks_like_a_setting(value: str) -> None:
    assert pinned({"X": value}, "X") == value


@pytest.mark.parametrize(
    "value",
    [
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "sk-proj-0123456789abcdefghijklmnop",
        "AKIAIOSFODNN7EXAMPLE/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "https://user:password@host",
        "password\nOMP",
        "x" * 500,
    ],
)
def test_a_secret_in_an_allowed_variable_does_not_come_out(value: str) -> None:
    shown = pinned({"OMP_NUM_THREADS": value}, "OMP_NUM_THREADS")
    assert shown == Unknown("the value does not look like a setting and is not shown")


def test_torch_is_asked_only_if_it_is_there_already() -> None:
    was_loaded = "torch" in sys.modules
    threads, switches = probe_threads({}), probe_switches({})
    assert ("torch" in sys.modules) == was_loaded
    if not was_loaded:
        why = Unknown("torch is not loaded in the process that wrote the record")
        assert threads["torch"] == Setting(None, why)
        assert switches["ATEN_CPU_CAPABILITY"].read_back == why


def test_openblas_is_read_back_where_numpy_uses_it() -> None:
    import numpy as np
    from threadpoolctl import threadpool_info

    np.zeros((2, 2)) @ np.zeros((2, 2))
    known = {i["num_threads"] for i in threadpool_info() if i["internal_api"] == "openblas"}
    read_back = probe_threads({})["OPENBLAS_NUM_THREADS"].read_back
    assert read_back in known if known else isinstance(read_back, Unknown)


def tool(folder: Path, script: str) -> str:
    """A stand-in for nvidia-smi: a real program."""
    path = folder / "nvidia-smi"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_gpus_are_those_that_the_drivers_tool_lists(tmp_path: Path) -> None:
    command = tool(tmp_path, "echo 'NVIDIA H200, big, 570.1, 143771'; echo 'B, 570.1, 10'")
    assert probe_gpus(command) == (Gpu("NVIDIA H200, big", "570.1", 143771), Gpu("B", "570.1", 10))


@pytest.mark.parametrize("script", ["echo no devices >&2; exit 9", "echo nonsense", "exit 1"])
def test_a_tool_that_fails_is_a_reason(script: str, tmp_path: Path) -> None:
    assert isinstance(probe_gpus(tool(tmp_path, script)), Unknown)


def test_no_tool_is_a_reason() -> None:
    assert probe_gpus("no-such-tool") == Unknown("no-such-tool is not there")
