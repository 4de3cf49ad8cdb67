"""Ask Python which packages are installed, and compare them with the lock file."""

import re
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from reproof.ground.files import read_text, sha256_file
from reproof.ground.unknown import Unknown
from reproof.record.world import PackageDifference, Packages

LOCK = "requirements.lock"
_PIN = re.compile(
    r"^(?P<name>[A-Za-z0-9][\w.-]*)(\[[^\]]*\])?==(?P<version>[^\s;\\]+)(?P<rest>.*)$"
)
_NOT_LOCKED = frozenset({"reproof", "pip", "setuptools", "wheel", "uv"})
"""The package itself, and what installs packages: no lock file needs to name them."""


def probe_packages(root: Path) -> Packages:
    """Installed packages of the running Python against requirements.lock in `root`."""
    path, installed = root / LOCK, probe_installed()
    if not path.is_file():
        why = Unknown(f"there is no {LOCK}")
        return Packages(LOCK, why, installed, why)
    locked = parse_pins(read_text(path))
    return Packages(LOCK, sha256_file(path), installed, differences(locked, installed))


def probe_installed() -> dict[str, str]:
    """Name (in its normal form) → version of every installed package, sorted by name."""
    found: dict[str, str] = {}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if name:
            # the first on sys.path is the one that an import gets
            found.setdefault(_normal(name), distribution.version)
    return dict(sorted(found.items()))


def parse_pins(text: str) -> dict[str, str]:
    """Name → version of a lock file, of the lines whose marker holds for this Python."""
    pins = {}
    for line in text.splitlines():
        if (match := _PIN.match(line)) and _applies(match["rest"]):
            pins[_normal(match["name"])] = match["version"]
    return pins


def differences(
    locked: Mapping[str, str], installed: Mapping[str, str]
) -> tuple[PackageDifference, ...]:
    """Every package that is not installed as locked, sorted by name."""
    names = sorted((set(locked) | set(installed)) - (_NOT_LOCKED - set(locked)))
    pairs = ((name, locked.get(name), installed.get(name)) for name in names)
    return tuple(PackageDifference(*pair) for pair in pairs if pair[1] != pair[2])


def probe_python() -> tuple[str, str]:
    """Implementation and version, as in ("cpython", "3.11.7")."""
    return sys.implementation.name, ".".join(map(str, sys.version_info[:3]))


def _applies(rest: str) -> bool:
    """Whether the environment marker after a pin, if there is one, holds here."""
    marker = rest.partition(";")[2].rstrip("\\ ").strip()
    if not marker:
        return True
    from packaging.markers import Marker

    return Marker(marker).evaluate()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
