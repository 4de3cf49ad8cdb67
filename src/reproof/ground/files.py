"""Read files with errors that help; write files and folders whole or not at all."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from reproof.ground.errors import DiskError, InputError

_CHUNK = 1 << 20
# the same language, by libyaml where there is one: dvc.yaml is read before every stage
_YAML: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn an OSError (disk full, no right to write) into a DiskError that names the path."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        way_out = "make room or mend the path, then run again"
        raise DiskError(str(path), reason.lower(), way_out) from error


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
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A stream that becomes the file `path` when the block ends well; otherwise nothing changes.

    For content that is not held in memory at once. What a killed process left is overwritten.
    """
    scratch = path.with_name(f".{path.name}.part")
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with scratch.open("wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)


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
            # Moved aside, not deleted in place: a kill must not leave half of the old folder.
            old = path.with_name(f".{path.name}.old")
            shutil.rmtree(old, ignore_errors=True)
            if path.exists():
                path.rename(old)
            scratch.rename(path)
            shutil.rmtree(old, ignore_errors=True)
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
        return yaml.load(read_text(path), Loader=_YAML)
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
