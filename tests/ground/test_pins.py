import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.errors import ParamsError
from reproof.ground.pins import GUARD, PINS, enter, pinned_environment, pins, read_pins

X86, ARM = "x86_64", "aarch64"
ENVIRONMENTS = st.dictionaries(st.sampled_from([*PINS, "HOME", "LANG"]), st.text(max_size=9))

DOOR = """
import os, sys
from reproof.ground import pins
already = pins.GUARD in os.environ
pins.enter("tiny")
print(already, pins.current().differing, os.getpid(), *sys.argv[1:])
"""


@given(ENVIRONMENTS, st.sampled_from([X86, ARM]))
def test_pinning_twice_is_pinning_once(environ: dict[str, str], machine: str) -> None:
    once = pinned_environment(environ, machine)
    assert pinned_environment(once, machine) == once


@given(ENVIRONMENTS)
def test_two_environments_are_pinned_alike_and_keep_the_rest(environ: dict[str, str]) -> None:
    pinned = pinned_environment(environ, X86)
    assert read_pins(pinned, X86).differing == ()
    assert read_pins(pinned, X86) == read_pins(pinned_environment({}, X86), X86)
    assert {name: pinned[name] for name in environ if name not in PINS} == {
        name: value for name, value in environ.items() if name not in PINS
    }


@given(st.sampled_from(sorted(PINS)), st.text(max_size=9))
def test_any_pin_that_is_changed_is_named(name: str, value: str) -> None:
    changed = {**pinned_environment({}, X86), name: value}
    assert read_pins(changed, X86).differing == ((name,) if value != PINS[name] else ())


def test_instruction_sets_are_pinned_on_x86_alone() -> None:
    assert "ATEN_CPU_CAPABILITY" in pins("AMD64")
    assert "ATEN_CPU_CAPABILITY" not in pins(ARM)
    assert pins(ARM)["OMP_NUM_THREADS"] == "1"


def test_an_unknown_scale_names_the_known_ones() -> None:
    with pytest.raises(ParamsError, match="'huge' is not one of tiny, paper"):
        enter("huge")


def test_at_paper_scale_nothing_happens() -> None:
    before = dict(os.environ)
    enter("paper")
    assert dict(os.environ) == before


def run_door(**extra: str) -> subprocess.CompletedProcess[str]:
    free = {name: value for name, value in os.environ.items() if name not in {*PINS, GUARD}}
    command = [sys.executable, "-c", DOOR, "one argument", "two"]
    return subprocess.run(command, env={**free, **extra}, capture_output=True, text=True)


def test_a_door_starts_again_once_with_its_arguments_and_every_pin() -> None:
    assert run_door(OMP_NUM_THREADS="7").stdout.split(maxsplit=3)[0:2] == ["True", "()"]
    assert run_door().stdout.rstrip().endswith("one argument two")


def test_pins_switched_off_are_seen_in_the_record() -> None:
    door = run_door(**{GUARD: "off"})
    assert "'ATEN_CPU_CAPABILITY'" in door.stdout


def test_a_pin_changed_behind_the_guard_is_an_error() -> None:
    forged = {**pinned_environment({}, X86), "OMP_NUM_THREADS": "4"}
    door = run_door(**forged)
    assert door.returncode != 0
    assert "OMP_NUM_THREADS: changed after it was pinned" in door.stderr
