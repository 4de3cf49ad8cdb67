import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save, save_file

from reproof.ground.canon import sha256_of
from reproof.ground.errors import InputError
from reproof.record.weights import read_weights, weights_of_files

Tensors = dict[str, np.ndarray[Any, Any]]


def tensors() -> Tensors:
    rng = np.random.default_rng(0)
    return {
        "model.embed": rng.normal(size=(5, 3)).astype(np.float32),
        "model.norm": rng.normal(size=3).astype(np.float16),
        "model.ids": rng.integers(0, 9, size=(2, 2)),
        "scalar": np.array(1.5, np.float32),
        "empty": np.zeros((0, 4), np.float32),
    }


def shards(folder: Path, parts: list[list[str]], metadata: dict[str, str] | None = None) -> str:
    """Root of the tensors written into one file a part."""
    folder.mkdir(parents=True)
    every = tensors()
    for row, names in enumerate(parts):
        held = {name: every[name] for name in names}
        save_file(held, folder / f"model-{row}.safetensors", metadata=metadata)
    return read_weights(folder).root


@given(st.data())
def test_the_root_does_not_depend_on_sharding_order_or_metadata(data: st.DataObject) -> None:
    from tempfile import TemporaryDirectory

    names = data.draw(st.permutations(sorted(tensors())))
    cut = data.draw(st.integers(0, len(names)))
    parts = [part for part in (names[:cut], names[cut:]) if part]
    with TemporaryDirectory() as folder:
        whole = shards(Path(folder) / "a", [sorted(tensors())])
        assert shards(Path(folder) / "b", parts, {"format": "pt", "x": "y"}) == whole


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.update({"model.embed": t["model.embed"] + 0.5}),
        lambda t: t.update({"model.embed": t["model.embed"].reshape(3, 5)}),
        lambda t: t.update({"model.ids": t["model.ids"].view(np.uint64)}),
        lambda t: t.update({"renamed": t.pop("scalar")}),
        lambda t: t.pop("empty"),
        lambda t: t.update({"scalar": np.array(-1.5, np.float32)}),
    ],
)
def test_the_root_changes_with_bytes_shape_type_name_and_number(
    change: Any, tmp_path: Path
) -> None:
    changed = tensors()
    change(changed)
    save_file(tensors(), tmp_path / "a.safetensors")
    save_file(changed, tmp_path / "b.safetensors")
    roots = {weights_of_files([tmp_path / f"{name}.safetensors"]).root for name in "ab"}
    assert len(roots) == 2


def test_digests_are_those_of_the_libraries(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file(tensors(), path)
    weights = read_weights(tmp_path)
    found = {tensor.name: tensor for tensor in weights.tensors}
    for name, tensor in tensors().items():
        assert found[name].blake3 == blake3(tensor.tobytes()).hexdigest()
        assert found[name].shape == tensor.shape
    assert found["model.norm"].dtype == "F16"
    assert weights.files[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert weights.files[0].size == path.stat().st_size


def test_the_root_is_what_the_docstring_says(tmp_path: Path) -> None:
    save_file(tensors(), tmp_path / "m.safetensors")
    weights = read_weights(tmp_path)
    rows = sorted([t.name, t.dtype, list(t.shape), t.blake3] for t in weights.tensors)
    assert weights.root == sha256_of(rows)


def header(change: Any) -> bytes:
    """A file whose header was tampered with."""
    whole: bytes = save(tensors())
    length = int.from_bytes(whole[:8], "little")
    entries = json.loads(whole[8 : 8 + length])
    change(entries)
    text = json.dumps(entries).encode()
    return struct.pack("<Q", len(text)) + text + whole[8 + length :]


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "is no safetensors file"),
        (b"\xff" * 64, "is no safetensors file"),
        (struct.pack("<Q", 3) + b"{{{", "broken safetensors header"),
        (struct.pack("<Q", 2) + b"[]", "broken safetensors header"),
        (save(tensors())[:-1], "ends inside"),
        (save(tensors()) + b"x", "bytes after its last tensor"),
        (header(lambda e: e["model.embed"].update(dtype="F99")), "unknown type 'F99'"),
        (header(lambda e: e["model.embed"].update(shape=[5, 4])), "not as many bytes"),
        (header(lambda e: e["model.ids"].pop("shape")), "broken safetensors header"),
        (header(lambda e: e["model.embed"].update(data_offsets=[1, 61])), "a gap or an overlap"),
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong(
    content: bytes, rule: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rule) as error:
        read_weights(tmp_path)
    assert error.value.where == str(path)


def test_a_tensor_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in "ab":
        save_file(tensors(), tmp_path / f"{name}.safetensors")
    with pytest.raises(InputError, match="which another file holds too"):
        read_weights(tmp_path)


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no \*\.safetensors file"):
        read_weights(tmp_path)
