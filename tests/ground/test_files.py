"""A file or folder is there whole or not at all, and errors name the path and the way out."""

import hashlib
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproof.ground.errors import DiskError, InputError
from reproof.ground.files import (
    read_json,
    read_text,
    read_yaml,
    sha256_file,
    whole_file,
    whole_folder,
    write_json,
    write_whole,
)


class ChangedMyMindError(Exception):
    """Stands for whatever goes wrong while something is written."""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=1000))
def test_a_digest_is_that_of_the_bytes_written(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes"
    write_whole(path, data)
    assert path.read_bytes() == data
    assert sha256_file(path) == hashlib.sha256(data).hexdigest()


def test_a_file_is_replaced_and_nothing_else_stays_behind(tmp_path: Path) -> None:
    for content in ("old", "new"):
        write_whole(tmp_path / "deep" / "file", content)
    assert (tmp_path / "deep" / "file").read_text() == "new"
    assert names(tmp_path / "deep") == ["file"]


def test_json_is_sorted_ends_in_a_newline_and_comes_back(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"b": 1, "a": [None]})
    assert (tmp_path / "a.json").read_text() == '{\n  "a": [\n    null\n  ],\n  "b": 1\n}\n'
    assert read_json(tmp_path / "a.json") == {"a": [None], "b": 1}


def test_json_with_a_nan_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(tmp_path / "a.json", {"loss": float("nan")})
    assert names(tmp_path) == []


def test_a_stream_becomes_the_file_when_its_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    with whole_file(path) as stream:
        stream.write(b"one")
        assert not path.exists()
        stream.write(b"two")
    assert path.read_bytes() == b"onetwo"
    assert names(path.parent) == ["file"]


def test_a_stream_that_breaks_off_leaves_the_old_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "file", "old")
    with pytest.raises(ChangedMyMindError), whole_file(tmp_path / "file") as stream:
        stream.write(b"new")
        raise ChangedMyMindError
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_a_folder_is_replaced_as_one(tmp_path: Path) -> None:
    for name in ("one", "two"):
        with whole_folder(tmp_path / "out") as scratch:
            (scratch / name).write_text(name)
    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == ["two"]


def test_a_folder_that_breaks_off_leaves_the_old_one(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "out") as scratch:
        (scratch / "old").write_text("old")
    with pytest.raises(ChangedMyMindError), whole_folder(tmp_path / "out") as scratch:
        (scratch / "new").write_text("new")
        raise ChangedMyMindError
    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == ["old"]


@pytest.mark.parametrize("how", ["whole_file", "whole_folder"])
def test_a_killed_writer_leaves_nothing_under_the_name(tmp_path: Path, how: str) -> None:
    code = f"""
import os, signal, sys
from pathlib import Path
from reproof.ground.files import {how}
with {how}(Path(sys.argv[1])) as scratch:
    target = scratch if "{how}" == "whole_file" else (scratch / "part").open("wb")
    target.write(b"half")
    target.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    assert names(tmp_path) == [".out.part"]
    with whole_folder(tmp_path / "other") as scratch:
        (scratch / "file").write_text("whole")
    with whole_file(tmp_path / "file") as stream:
        stream.write(b"whole")
    assert names(tmp_path) == [".out.part", "file", "other"]


@pytest.mark.parametrize("how", ["whole_file", "whole_folder"])
def test_what_a_killed_writer_left_is_cleared_by_the_next(tmp_path: Path, how: str) -> None:
    if how == "whole_file":
        (tmp_path / ".out.part").write_bytes(b"a longer half of old")
        with whole_file(tmp_path / "out") as stream:
            stream.write(b"new")
        assert (tmp_path / "out").read_bytes() == b"new"
    else:
        (tmp_path / ".out.part").mkdir()
        (tmp_path / ".out.part" / "old").write_text("half")
        with whole_folder(tmp_path / "out") as scratch:
            (scratch / "new").write_text("new")
        assert names(tmp_path / "out") == ["new"]
    assert names(tmp_path) == ["out"]


def _write_in_one_piece(path: Path) -> None:
    write_whole(path, bytes(100_000))


def _write_as_a_stream(path: Path) -> None:
    with whole_file(path) as stream:
        for _ in range(100):
            stream.write(bytes(1000))


@pytest.mark.parametrize("write", [_write_in_one_piece, _write_as_a_stream])
def test_a_full_disk_is_one_clear_error_and_leaves_nothing(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    """A limit on file size stands for the full disk; Python ignores its signal."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, old[1]))
    try:
        with pytest.raises(DiskError, match="out: file too large; make room") as caught:
            write(tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert "\n" not in str(caught.value)
    assert names(tmp_path) == []
    write(tmp_path / "out")
    assert (tmp_path / "out").stat().st_size == 100_000


@pytest.mark.parametrize(
    ("content", "read", "says"),
    [
        (None, read_text, "does not exist"),
        (b"\xff\xfe", read_text, "is not UTF-8 text"),
        (b"{", read_json, "is not JSON"),
        (b"a: [", read_yaml, "is not YAML"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_rule(
    tmp_path: Path, content: bytes | None, read: Callable[[Path], object], says: str
) -> None:
    if content is not None:
        (tmp_path / "in").write_bytes(content)
    with pytest.raises(InputError, match=says) as caught:
        read(tmp_path / "in")
    assert str(caught.value).startswith(f"{tmp_path / 'in'}: ")
    assert "\n" not in str(caught.value)


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_text(tmp_path)


def test_a_digest_of_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DiskError, match="no such file"):
        sha256_file(tmp_path / "none")


def test_files_can_be_read_by_others(tmp_path: Path) -> None:
    write_whole(tmp_path / "file", "text")
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644
