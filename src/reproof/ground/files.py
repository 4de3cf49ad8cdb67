"""Read files with errors that help; write files and folders whole or not at all."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from reproof.ground.errors import DiskError, InputError

_CHUNK = 1 << 20


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn an OSError (disk full, no right to write) into a DiskError that names the path."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise DiskError(str(path), reason.lower(), "make room or mend the path, then run again") from error


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file in one move: readers see the old content or the new, never a part."""
    data = content.encode() if isinstance(content, str) else content
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A scratch folder beside `path` that takes its place when the block ends well."""
    scratch = path.with_name(f".{path.name}.part")
    with disk_errors(path):
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
    try:
        yield scratch
        with disk_errors(path):
            if path.exists():
                shutil.rmtree(path)
            scratch.rename(path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def write_json(path: Path, value: Any) -> None:
    """Indented JSON with sorted keys; NaN and infinities are refused."""
    write_whole(path, json.dumps(value, indent=2, sort_keys=True, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """Parse a JSON file; a missing or broken one raises InputError."""
    try:
        return json.loads(read_text(path))
    except ValueError as error:
        raise InputError(str(path), f"is not JSON ({error})", "write it again") from error


def read_yaml(path: Path) -> Any:
    """Parse a YAML file; a missing or broken one raises InputError."""
    try:
        return yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise InputError(str(path), f"is not YAML ({reason})", "mend it") from error


def read_text(path: Path) -> str:
    """A UTF-8 file's text; a missing or binary one raises InputError."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(str(path), "does not exist", "check the path") from error
    except UnicodeDecodeError as error:
        raise InputError(str(path), "is not UTF-8 text", "check the path") from error
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror})", "check it") from error


def sha256_file(path: Path) -> str:
    """SHA-256 of a file's bytes, as hex; memory does not grow with the file."""
    digest = hashlib.sha256()
    with disk_errors(path), path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
