import subprocess
import sys
from importlib import metadata
from pathlib import Path

from reproof.ground.unknown import Unknown
from reproof.probe.packages import (
    LOCK,
    differences,
    parse_pins,
    probe_installed,
    probe_packages,
    probe_python,
)
from reproof.record.world import PackageDifference

ROOT = Path(__file__).parents[2]

TEXT = """\
# made by a tool
numpy==2.4.6 \\
    --hash=sha256:00 \\
    --hash=sha256:11
    # via scipy
Typing.Extensions==4.1 ; python_version >= '3.11' \\
    --hash=sha256:22
colorama==0.4.6 ; sys_platform == 'never' \\
    --hash=sha256:33
torch==2.14.1+cpu
dvc[s3]==3.67.1
"""


def test_pins_are_those_whose_marker_holds_here() -> None:
    pins = {"numpy": "2.4.6", "typing-extensions": "4.1", "torch": "2.14.1+cpu", "dvc": "3.67.1"}
    assert parse_pins(TEXT) == pins


def test_every_pin_of_the_real_lock_is_found() -> None:
    text = (ROOT / LOCK).read_text()
    lines = [line for line in text.splitlines() if "==" in line and line[0] not in " #"]
    assert len(parse_pins("\n".join(line.partition(";")[0] for line in lines))) == len(
        {line.partition("==")[0] for line in lines}
    )


def test_a_package_of_another_version_on_one_side_only_or_twice_named_is_told() -> None:
    found = differences({"a": "1", "b": "2", "d": "1"}, {"a": "1", "b": "3", "c": "4", "pip": "9"})
    assert found == (
        PackageDifference("b", "2", "3"),
        PackageDifference("c", None, "4"),
        PackageDifference("d", "1", None),
    )


def test_a_locked_installer_is_compared_like_any_other() -> None:
    assert differences({"uv": "1"}, {"uv": "2"}) == (PackageDifference("uv", "1", "2"),)


def test_installed_packages_are_those_that_metadata_finds() -> None:
    installed = probe_installed()
    assert installed["gitpython"] == metadata.version("GitPython")
    assert installed["typing-extensions"] == metadata.version("typing_extensions")
    assert list(installed) == sorted(installed)


def test_no_lock_file_is_a_reason(tmp_path: Path) -> None:
    packages = probe_packages(tmp_path)
    assert packages.lock_sha256 == packages.differences == Unknown(f"there is no {LOCK}")


def test_the_digest_is_that_of_the_lock_file(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text(TEXT)
    said = subprocess.run(
        ["sha256sum", tmp_path / LOCK], capture_output=True, text=True, check=True
    )
    assert probe_packages(tmp_path).lock_sha256 == said.stdout.split()[0]


def test_python_is_the_one_that_runs() -> None:
    said = subprocess.run([sys.executable, "-V"], capture_output=True, text=True, check=True)
    assert f"Python {probe_python()[1]}" == said.stdout.strip()
