import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.closure import ROOT, Import, dependencies, imports, module_of, modules

FLOORS: tuple[tuple[str, ...], ...] = (
    ("ground",),
    ("pairs",),
    ("record", "scores"),
    ("verdict",),
    ("render",),
    ("engine", "tiny", "peers", "probe", "export"),
    ("flow",),
    ("arguments",),
    ("cli", "stages"),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

# Importing one of these takes a good part of a second, or many.
LEARNING = {
    *("torch", "torchvision", "transformers", "trl", "accelerate", "datasets", "peft"),
    *("qwen_vl_utils", "mlflow"),
}
HEAVY = LEARNING | {"scipy", "statsmodels", "matplotlib", "pandas", "dvc", "sqlalchemy"}

MODULES = modules(ROOT)
DOORS = sorted((ROOT / "stages").glob("*.py"))
OURS = [*MODULES.values(), *DOORS]


def room(path: Path) -> str:
    """`src/reproof/tiny/apps/app.py` lies in `tiny`, `src/reproof/cli.py` is a room of its own."""
    if path in DOORS:
        return "stages"
    return path.relative_to(ROOT / "src" / "reproof").with_suffix("").parts[0]


def own_imports(path: Path) -> Iterator[tuple[Import, Path]]:
    for each in imports(path):
        if (name := module_of(each.name, MODULES)) and MODULES[name].name != "__init__.py":
            yield each, MODULES[name]


def place(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


def test_every_file_lies_in_a_room_of_the_house() -> None:
    strangers = [path for path in OURS if room(path) not in {*FLOOR, "__init__"}]
    assert strangers == []


def test_imports_run_downward_only() -> None:
    upward = [
        f"{place(path, each.line)} imports {each.name}"
        for path in OURS
        for each, target in own_imports(path)
        if room(target) != room(path) and FLOOR[room(target)] >= FLOOR[room(path)]
    ]
    assert upward == []


def test_no_import_is_relative() -> None:
    relative = [
        place(path, each.line)
        for path in OURS
        for each in imports(path)
        if each.name.startswith(".")
    ]
    assert relative == []


def test_every_init_file_is_empty() -> None:
    full = [path for path in MODULES.values() if path.name == "__init__.py" and path.read_bytes()]
    assert full == []


def test_nothing_heavy_is_imported_when_a_module_is() -> None:
    heavy = [
        f"{place(path, each.line)} imports {each.top}"
        for path in OURS
        for each in imports(path)
        if each.level == "module" and each.top in HEAVY
    ]
    assert heavy == []


def test_learning_libraries_stay_in_their_rooms() -> None:
    astray = [
        f"{place(path, each.line)} imports {each.top}"
        for path in OURS
        for each in imports(path)
        if each.top in LEARNING and each.level == "function"
        if room(path) != "engine" and path != ROOT / "src/reproof/tiny/model.py"
    ]
    assert astray == []


def test_the_ground_stands_on_the_standard_library_and_yaml() -> None:
    allowed = {*sys.stdlib_module_names, "yaml", "reproof"}
    beyond = [
        f"{place(path, each.line)} imports {each.top}"
        for path in OURS
        if room(path) == "ground"
        for each in imports(path)
        if each.top not in allowed
    ]
    assert beyond == []


def test_what_is_imported_is_declared() -> None:
    declared = declared_dependencies()
    missing = {
        each.top
        for path in OURS
        for each in imports(path)
        if each.top not in {*sys.stdlib_module_names, "reproof"}
        if DISTRIBUTION.get(each.top, each.top.replace("_", "-")) not in declared
    }
    assert missing == set()


DISTRIBUTION = {
    "PIL": "pillow",
    "alembic": "mlflow",
    "git": "gitpython",
    "hydra": "hydra-core",
    "sqlalchemy": "mlflow",
    "yaml": "pyyaml",
}


def declared_dependencies() -> set[str]:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["train"]]
    return {re.split(r"[<>=!~ \[]", line)[0].lower() for line in lines}


def test_a_door_is_at_most_fifteen_lines() -> None:
    assert [door.name for door in DOORS if len(door.read_text().splitlines()) > 15] == []


def test_no_file_is_longer_than_three_hundred_lines() -> None:
    written = [*OURS, *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    assert [path for path in written if len(path.read_text().splitlines()) > 300] == []


def test_no_function_is_longer_than_fifty_lines() -> None:
    long = [
        place(path, node.lineno)
        for path in OURS
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (node.end_lineno or node.lineno) - node.lineno + 1 > 50
    ]
    assert long == []


def stages() -> dict[str, Any]:
    """The stages of dvc.yaml; a `foreach` or `matrix` stage is what stands below its `do`."""
    declared = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    return {
        name: stage.get("do", stage) | {k: v for k, v in stage.items() if k in ("deps", "cmd")}
        for name, stage in declared.items()
    }


def code_dependencies(stage: dict[str, Any]) -> list[str]:
    deps = [next(iter(dep)) if isinstance(dep, dict) else dep for dep in stage.get("deps", [])]
    return sorted(dep for dep in deps if dep.startswith(("src/", "stages/")))


def door_of(stage: dict[str, Any]) -> str | None:
    found = re.search(r"stages/\w+\.py", str(stage["cmd"]))
    return found.group() if found else None


@pytest.mark.parametrize("door", [door.name for door in DOORS])
def test_a_stage_depends_on_exactly_the_code_it_reaches(door: str) -> None:
    behind = [stage for stage in stages().values() if door_of(stage) == f"stages/{door}"]
    assert behind, f"no stage of dvc.yaml opens stages/{door}"
    for stage in behind:
        assert code_dependencies(stage) == list(dependencies(ROOT / "stages" / door, ROOT))


def test_every_stage_goes_through_a_door_that_is_there() -> None:
    doors = {name: door_of(stage) for name, stage in stages().items()}
    assert doors
    assert {name for name, door in doors.items() if not door or not (ROOT / door).exists()} == set()
