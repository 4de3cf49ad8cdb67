"""The ablation of the rejected side: a card's two arms beside two runs of ours."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reproof.ground.errors import InputError
from reproof.ground.files import read_json, read_yaml
from reproof.peers.card import read_card
from reproof.peers.claims_file import find_claims
from reproof.peers.negatives_file import read_published_arms
from reproof.scores import strict
from reproof.scores.signals import Share
from reproof.verdict.negatives import Arm, ArmEpoch, Negatives

COMPARISON = Path("data/compare/comparison.json")


def negatives(card_path: Path, runs: Mapping[str, Path], claims: Path | None = None) -> Negatives:
    """The card's arms and ours; `runs` gives for an arm's name the folder of a finished run.

    InputError when the card describes no such ablation, or a folder is of another arm.
    """
    card = read_card(card_path)
    chosen = claims or find_claims(card, card_path)
    if chosen is None:
        rule = "has no claims file, which says where its ablation stands"
        raise InputError(str(card_path), rule, "give one with --claims")
    quote, published = read_published_arms(chosen, card)
    known = {arm.name for arm in published}
    for name in runs:
        if name not in known:
            raise InputError(f"arm {name}", "the card has no such arm", f"use {', '.join(known)}")
    ours = tuple(_ours(arm.name, runs[arm.name]) for arm in published if arm.name in runs)
    return Negatives(quote, published, ours)


def _ours(name: str, root: Path) -> Arm:
    _check_arm(name, root / "params.yaml")
    path = root / COMPARISON
    value = read_json(path)
    if not isinstance(value, dict) or not isinstance(value.get("rows"), list):
        strict.refuse(str(path), "is no comparison")
    means = {row["model"]: _number(path, row, "mean_return") for row in value["rows"]}
    signals = {int(each["epoch"]): each for each in value.get("signals", [])}
    epochs = tuple(_epoch(path, epoch, means, signals[epoch]) for epoch in sorted(signals))
    if not epochs:
        strict.refuse(str(path), "holds no training signals", "run `dvc repro` there")
    return Arm(name, str(root), epochs)


def _check_arm(name: str, path: Path) -> None:
    """A run of the other arm under this name would turn the table round."""
    params = read_yaml(path)
    found = params.get("negatives") if isinstance(params, dict) else None
    if found != name:
        rule = f"negatives is {found}, the folder was given as the run with {name}"
        raise InputError(str(path), rule, "name the run of that arm")


def _epoch(path: Path, epoch: int, means: Mapping[str, float], signal: Any) -> ArmEpoch:
    share = strict.mapping(f"{path}, epoch {epoch}", signal["saturated_steps"], ("k", "n"))
    model = f"epoch-{epoch}"
    if model not in means:
        strict.refuse(str(path), f"has signals of {model} and no result of it")
    loss = _number(path, signal, "median_loss")
    return ArmEpoch(epoch, means[model], loss, Share(share["k"], share["n"]))


def _number(path: Path, value: Mapping[str, Any], key: str) -> float:
    return strict.number(f"{path}, {key}", value.get(key))
