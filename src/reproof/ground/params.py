"""The values of params.yaml, each checked against its rule before any stage starts."""

import difflib
import re
import sys
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import yaml

from reproof.ground.errors import ParamsError
from reproof.ground.files import read_text


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value must be, in words that follow "must be", and the test of it."""

    says: str
    holds: Callable[[Any], bool]


def one_of(*words: str) -> Rule:
    """The value is one of these words."""
    return Rule(f"one of {', '.join(words)}", lambda value: value in words)


def between(least: float, most: float, why: str = "") -> Rule:
    """The value lies between two bounds, both included."""
    return Rule(f"from {least} to {most}{why}", lambda value: least <= value <= most)


def at_least(least: float) -> Rule:
    """The value is this or more."""
    return Rule(f"{least} or more", lambda value: value >= least)


ABOVE_ZERO = Rule("above 0", lambda value: value > 0)
INSIDE_ONE = Rule("above 0 and below 1", lambda value: 0 < value < 1)
BELOW_ONE = Rule("0 or more and below 1", lambda value: 0 <= value < 1)
SEED = between(0, 2**32 - 1)


@dataclass(frozen=True, slots=True)
class TrainParams:
    """Trajectory DPO; the names are those of TRL's DPOConfig where it has one."""

    epochs: Annotated[int, between(1, 3, ", as train-epoch@1..3 write one checkpoint each")]
    pairs_per_step: Annotated[int, at_least(1)]
    beta: Annotated[float, ABOVE_ZERO]
    learning_rate: Annotated[float, ABOVE_ZERO]
    lr_scheduler_type: Annotated[str, one_of("cosine", "linear", "constant_with_warmup")]
    warmup_ratio: Annotated[float, BELOW_ONE]
    adam_beta1: Annotated[float, BELOW_ONE]
    adam_beta2: Annotated[float, BELOW_ONE]
    weight_decay: Annotated[float, at_least(0)]
    max_grad_norm: Annotated[float, ABOVE_ZERO]


@dataclass(frozen=True, slots=True)
class EvaluateParams:
    """Rollouts of one model on one task set."""

    split: Annotated[str, one_of("train", "dev", "test")]
    tasks: Annotated[int, at_least(1)]
    task_seed: Annotated[int, SEED]
    group_size: Annotated[int, at_least(1)]
    temperature: Annotated[float, at_least(0)]
    max_new_tokens: Annotated[int, at_least(1)]
    batch_size: Annotated[int, at_least(1)]


@dataclass(frozen=True, slots=True)
class CompareParams:
    """Paired tests between models, and the loss below which a step counts as saturated."""

    alpha: Annotated[float, INSIDE_ONE]
    sign_flips: Annotated[int, at_least(1)]
    sign_flip_seed: Annotated[int, SEED]
    saturation_tau: Annotated[float, ABOVE_ZERO]


@dataclass(frozen=True, slots=True)
class Params:
    """The whole of params.yaml."""

    scale: Annotated[str, one_of("tiny", "paper")]
    negatives: Annotated[str, one_of("4b", "2b")]
    seed: Annotated[int, SEED]
    train: TrainParams
    evaluate: EvaluateParams
    compare: CompareParams


def read_params(path: Path = Path("params.yaml")) -> Params:
    """Read and check params.yaml.

    Raises ParamsError with every problem of the file in one message: unknown, missing and
    repeated keys, wrong types, values out of range. A missing file raises InputError.
    """
    try:
        raw = yaml.load(read_text(path), Loader=_StrictLoader)
    except (yaml.YAMLError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ParamsError(str(path), f"is not YAML ({reason})", "mend it") from error
    if problems := list(_problems(Params, raw, "")):
        count = f"{len(problems)} problems: " if len(problems) > 1 else ""
        way_out = "correct what is named and run again"
        raise ParamsError(str(path), count + "; ".join(problems), way_out)
    params: Params = _build(Params, raw)
    return params


class _StrictLoader(yaml.SafeLoader):
    """YAML in which a repeated key is an error and 2e-05 is a number, as in YAML 1.2.

    `dvc exp run -S train.learning_rate=2e-5` writes 2e-05, which PyYAML alone reads as text.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        if twice := sorted({str(key) for key in keys if keys.count(key) > 1}):
            raise yaml.YAMLError(f"{', '.join(twice)} is given twice")
        return super().construct_mapping(node, deep)


_StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+$"),
    list("-+.0123456789"),
)


def _problems(kind: Any, raw: Any, prefix: str) -> Iterator[str]:
    """Each thing that is wrong with one section, in the order of the dataclass."""
    if not isinstance(raw, dict):
        yield f"{prefix.rstrip('.') or 'the file'} is {_shown(raw)}, must be a section of keys"
        return
    hints = get_type_hints(kind, include_extras=True)
    yield from (_unknown(key, hints, prefix) for key in raw if key not in hints)
    for name, hint in hints.items():
        if name not in raw:
            yield f"{prefix}{name} is missing"
        elif is_dataclass(hint):
            yield from _problems(hint, raw[name], f"{prefix}{name}.")
        elif wrong := _wrong(hint, raw[name]):
            yield f"{prefix}{name} is {_shown(raw[name])}, must be {wrong}"


def _unknown(key: object, hints: dict[str, Any], prefix: str) -> str:
    near = difflib.get_close_matches(str(key), list(hints), n=1)
    hint = f", did you mean {prefix}{near[0]}?" if near else ""
    return f"{prefix}{key} is no known key{hint}"


_KINDS: dict[type, str] = {int: "a whole number", float: "a number", str: "a text"}


def _wrong(hint: Any, value: Any) -> str:
    """The rule that a value breaks, or an empty text. A bool is no number; an int is a float."""
    kind, rule = get_args(hint)
    allowed = (int, float) if kind is float else (kind,)
    if type(value) not in allowed:
        return f"{_KINDS[kind]}, {rule.says}"
    if kind is not str and not abs(value) <= sys.float_info.max:
        return f"a finite number, {rule.says}"
    return "" if rule.holds(value) else str(rule.says)


def _shown(value: object) -> str:
    if value is None:
        return "empty"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _build(kind: Any, raw: dict[str, Any]) -> Any:
    """A checked section as its dataclass; a whole number given for a float becomes one."""
    hints = get_type_hints(kind, include_extras=True)
    return kind(**{name: _value(hint, raw[name]) for name, hint in hints.items()})


def _value(hint: Any, raw: Any) -> Any:
    if get_origin(hint) is not Annotated:
        return _build(hint, raw)
    return float(raw) if get_args(hint)[0] is float else raw
