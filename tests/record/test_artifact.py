import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.canon import sha256_of
from reproof.ground.hashes import hash_file, hash_files, hash_path
from reproof.ground.unknown import Unknown
from reproof.record.artifact import record_artifact
from reproof.record.lock import Artifact, read_lock

DVC = Path(__file__).with_name("golden") / "dvc"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that DVC hashed when it wrote golden/dvc/dvc.lock."""
    root = tmp_path / "folder"
    for name, text in {"b.txt": "a\n", "a.txt": "b", "sub/z": "c", "sub.x": "d"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def locked() -> Artifact:
    return next(stage for stage in read_lock(DVC / "dvc.lock") if stage.name == "make@1").deps[0]


def test_a_folder_has_the_md5_that_dvc_gave_it(folder: Path) -> None:
    found = hash_path(folder)
    assert found is not None
    assert (found.md5, found.size) == (locked().md5, locked().size)


def test_what_python_leaves_is_no_content(folder: Path) -> None:
    before = hash_path(folder)
    (folder / "sub" / "__pycache__").mkdir()
    (folder / "sub" / "__pycache__" / "z.pyc").write_text("x")
    (folder / "z.pyc").write_text("x")
    assert hash_path(folder) == before


def test_times_and_modes_are_no_content_and_names_are(folder: Path) -> None:
    before = hash_path(folder)
    os.utime(folder / "a.txt", (0, 0))
    (folder / "a.txt").chmod(0o400)
    assert hash_path(folder) == before
    (folder / "a.txt").rename(folder / "c.txt")
    assert hash_path(folder) != before


@given(st.binary(max_size=64), st.binary(max_size=64))
def test_files_have_the_hashes_of_hashlib(data: bytes, other: bytes) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as name:
        path = Path(name) / "f"
        path.write_bytes(data)
        found = hash_path(path)
        assert found is not None
        assert found.sha256 == hashlib.sha256(data).hexdigest()
        assert found.md5 == hashlib.md5(data).hexdigest()
        path.write_bytes(other)
        assert (hash_path(path) == found) == (data == other)


def test_the_digest_of_a_folder_is_what_the_docstring_says(folder: Path) -> None:
    names = ["a.txt", "b.txt", "sub.x", "sub/z"]
    rows = [[n, hashlib.sha256((folder / n).read_bytes()).hexdigest()] for n in names]
    found = hash_path(folder)
    assert found is not None
    assert found.sha256 == sha256_of(rows)


def test_only_what_the_stage_had_gets_a_sha256(folder: Path) -> None:
    same = record_artifact(locked(), hash_path(folder))
    assert (same.on_disk, isinstance(same.sha256, str)) == ("same", True)
    (folder / "a.txt").write_text("edited")
    changed = record_artifact(locked(), hash_path(folder))
    assert changed.on_disk == "changed"
    assert changed.sha256 == Unknown("has changed on disk since dvc.lock was written")
    missing = record_artifact(locked(), hash_path(folder / "nowhere"))
    assert (missing.on_disk, missing.sha256) == ("missing", Unknown("is not on disk"))


def test_many_files_at_a_time_have_the_hashes_of_each(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b", "c")]
    for path, size in zip(paths, (17 << 20, 3, 17 << 20), strict=True):
        path.write_bytes(bytes([size % 251]) * size)
    assert hash_files([*paths, paths[0]]) == {path: hash_file(path) for path in paths}
