"""Score all pairs with the reference model once, for every epoch that follows."""

from pathlib import Path

from reproof.engine.dpo import Reference, compute_reference
from reproof.ground.errors import StageError
from reproof.ground.files import read_json, sha256_file, write_json
from reproof.ground.params import Params

FILE = Path("data/reference/logps.json")


def reference(root: Path, params: Params) -> None:
    """Write data/reference/logps.json, which names the pairs and the model it belongs to."""
    init, pairs = root / "models/init", root / "data/dedup/pairs.parquet"
    scored = compute_reference(init, pairs, params.train.pairs_per_step)
    belongs = _belongs_to(init, pairs)
    write_json(root / FILE, belongs | {"chosen": scored.chosen, "rejected": scored.rejected})


def read_reference(root: Path) -> Reference:
    """The reference log-probs; refused if the pairs or the model have changed since."""
    path = root / FILE
    raw = read_json(path)
    belongs = _belongs_to(root / "models/init", root / "data/dedup/pairs.parquet")
    for name, digest in belongs.items():
        if raw.get(name) != digest:
            rule = f"was made for other {name.removesuffix('_sha256')}"
            raise StageError(str(path), rule, "run `dvc repro reference`")
    return Reference(tuple(raw["chosen"]), tuple(raw["rejected"]))


def _belongs_to(init: Path, pairs: Path) -> dict[str, str]:
    weights = sha256_file(init / "model.safetensors")
    return {"init_sha256": weights, "pairs_sha256": sha256_file(pairs)}
