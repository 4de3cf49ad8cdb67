"""Read dvc.yaml: which stages it asks for, and what each declares, with `${...}` written out.

DVC's own resolver does this too, after a second of imports that no stage should pay; a test
holds the two against each other.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproof.ground.files import read_yaml
from reproof.record.shape import MEND, a_list, a_mapping, commands, refuse

PARAMS = "params.yaml"
_REFERENCE = re.compile(r"\$\{\s*([\w.\-\[\]]+)\s*\}")
_STEP = re.compile(r"[^.\[\]]+")


@dataclass(frozen=True, slots=True)
class StagePlan:
    """One stage that dvc.yaml asks for, after `foreach` and `matrix` are written out.

    `params` is file → keys; no keys stand for the whole file. `outs` are outs, metrics and plots.
    """

    name: str
    cmd: str
    deps: tuple[str, ...]
    params: Mapping[str, tuple[str, ...]]
    outs: tuple[str, ...]
    is_frozen: bool
    always_changed: bool

    @property
    def has_outs(self) -> bool:
        """Whether it makes anything that DVC keeps."""
        return bool(self.outs)


def read_plans(path: Path, params: Mapping[str, Any]) -> tuple[StagePlan, ...]:
    """The stages of a dvc.yaml file; `params` are the values of its `${...}` references."""
    return parse_plans(read_yaml(path), params, str(path))


def parse_plans(value: Any, params: Mapping[str, Any], where: str) -> tuple[StagePlan, ...]:
    """The stages of a parsed dvc.yaml; InputError names the stage that cannot be understood."""
    stages = a_mapping(a_mapping(value, where, MEND).get("stages") or {}, f"{where}, stages", MEND)
    return tuple(
        plan
        for name, entry in stages.items()
        for plan in _plans(name, a_mapping(entry, f"{where}, stage {name}", MEND), params, where)
    )


def _plans(
    name: str, entry: dict[str, Any], params: Mapping[str, Any], file: str
) -> Iterator[StagePlan]:
    where = f"{file}, stage {name}"
    body = a_mapping(entry.get("do", entry), where, MEND)
    if "wdir" in body:
        refuse(where, "has a wdir, which is not supported", "write its paths from the root")
    for key, own in _items(entry, params, where):
        yield _plan(f"{name}@{key}" if key else name, body, {**params, **own}, where)


def _plan(name: str, body: dict[str, Any], values: Mapping[str, Any], where: str) -> StagePlan:
    def paths(*kinds: str) -> tuple[str, ...]:
        entries = [entry for kind in kinds for entry in a_list(body.get(kind) or [], where)]
        return tuple(_text(_fill(_key(entry), values, where)) for entry in entries)

    return StagePlan(
        name=name,
        cmd=commands(_filled(body.get("cmd"), values, where), where),
        deps=paths("deps"),
        params=_params(_filled(body.get("params") or [], values, where), where),
        outs=paths("outs", "metrics", "plots"),
        is_frozen=bool(body.get("frozen", False)),
        always_changed=bool(body.get("always_changed", False)),
    )


def _key(entry: Any) -> Any:
    """`path`, or the path of `{path: {cache: false}}`."""
    return next(iter(entry)) if isinstance(entry, dict) and len(entry) == 1 else entry


def _params(entries: Any, where: str) -> dict[str, tuple[str, ...]]:
    """`[key, {file: [key]}]` as file → keys."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in a_list(entries, f"{where}, params"):
        named = {PARAMS: [entry]} if isinstance(entry, str) else a_mapping(entry, where, MEND)
        for file, keys in named.items():
            found[file] = (*found.get(file, ()), *(_text(key) for key in keys or ()))
    return found


def _items(
    entry: dict[str, Any], params: Mapping[str, Any], where: str
) -> list[tuple[str, dict[str, Any]]]:
    """What stands after the @, as DVC writes it, and the values that go with it."""
    if "foreach" in entry:
        return _foreach(_fill(entry["foreach"], params, f"{where}, foreach"), f"{where}, foreach")
    if "matrix" not in entry:
        return [("", {})]
    items: list[tuple[str, dict[str, Any]]] = [("", {})]
    for key, raw in a_mapping(entry["matrix"], f"{where}, matrix", MEND).items():
        options = a_list(_fill(raw, params, f"{where}, matrix"), f"{where}, matrix, {key}")
        words = [_text(o) if _is_plain(o) else f"{key}{row}" for row, o in enumerate(options)]
        items = [
            (f"{name}-{word}" if name else word, {**item, key: option})
            for name, item in items
            for word, option in zip(words, options, strict=True)
        ]
    return [(name, {"item": item, "key": name}) for name, item in items]


def _foreach(items: Any, where: str) -> list[tuple[str, dict[str, Any]]]:
    if isinstance(items, Mapping):
        return [(_text(key), {"key": key, "item": item}) for key, item in items.items()]
    rows = a_list(items, where)
    plain = all(_is_plain(item) for item in rows)
    return [(_text(item) if plain else str(row), {"item": item}) for row, item in enumerate(rows)]


def _filled(value: Any, values: Mapping[str, Any], where: str) -> Any:
    """Every text in a value with its references written out."""
    if isinstance(value, list):
        return [_filled(item, values, where) for item in value]
    if isinstance(value, dict):
        return {_fill(k, values, where): _filled(v, values, where) for k, v in value.items()}
    return _fill(value, values, where)


def _fill(value: Any, values: Mapping[str, Any], where: str) -> Any:
    """A literal as it is; `${a.b}` as the value itself; `x-${a.b}` as a text."""
    if not isinstance(value, str):
        return value
    if match := _REFERENCE.fullmatch(value):
        return _looked_up(match[1], values, where)
    return _REFERENCE.sub(lambda match: _text(_looked_up(match[1], values, where)), value)


def _looked_up(name: str, values: Mapping[str, Any], where: str) -> Any:
    found: Any = values
    for step in _STEP.findall(name):
        if isinstance(found, list) and step.isdigit() and int(step) < len(found):
            found = found[int(step)]
        elif isinstance(found, Mapping) and step in found:
            found = found[step]
        else:
            refuse(where, f"refers to {name!r}, which params.yaml lacks", "add the value")
    return found


def _is_plain(value: Any) -> bool:
    return not isinstance(value, list | dict)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
