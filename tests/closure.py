"""The code that each door reaches, found by reading imports and running nothing.

    python -m tests.closure [DOOR ...]

prints it in the form of dvc.yaml's `deps`.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "reproof"


@dataclass(frozen=True, slots=True)
class Import:
    """One name that a file imports: `reproof.ground.files`, or `reproof.ground.files.read_json`.

    `level` is "module", "function" or "typing" (below `if TYPE_CHECKING`).
    """

    name: str
    line: int
    level: str

    @property
    def top(self) -> str:
        """The first part of the name: `reproof`, `torch`."""
        return self.name.partition(".")[0]


def modules(root: Path) -> Mapping[str, Path]:
    """Every module of the package by its dotted name."""
    source = root / "src"
    return {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted((source / PACKAGE).rglob("*.py"))
    }


def imports(path: Path) -> tuple[Import, ...]:
    """Every import of a file, wherever it stands in it."""
    return tuple(_imports(ast.parse(path.read_text(encoding="utf-8")), "module"))


def _imports(node: ast.AST, level: str) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, child.lineno, level) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            base = "." * child.level + (child.module or "")
            yield from (
                Import(f"{base}.{alias.name}", child.lineno, level) for alias in child.names
            )
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from _imports(ast.Module(child.body, []), "typing")
            yield from _imports(ast.Module(child.orelse, []), level)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _imports(child, "function" if level == "module" else level)
        else:
            yield from _imports(child, level)


def module_of(name: str, known: Mapping[str, Path]) -> str | None:
    """The module that an imported name lies in, or None if it is not ours."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name or None


def closure(door: Path, known: Mapping[str, Path]) -> frozenset[Path]:
    """The files that a door runs or could run: itself and every module it reaches.

    Imports inside functions count; `__init__.py` files do not, since they are empty.
    """
    seen: set[Path] = set()
    todo = [door]
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        found = (module_of(each.name, known) for each in imports(path))
        todo += [known[name] for name in found if name]
    return frozenset(path for path in seen if path.name != "__init__.py")


def dependencies(door: Path, root: Path) -> tuple[str, ...]:
    """A door's closure as paths in dvc.yaml, sorted."""
    files = closure(door, modules(root))
    return tuple(sorted(path.relative_to(root).as_posix() for path in files))


def main(names: list[str]) -> None:
    """Print the deps of the named doors, or of all."""
    for door in sorted((ROOT / "stages").glob("*.py")):
        if not names or door.stem in names:
            print(f"# {door.stem}")
            print("".join(f"      - {path}\n" for path in dependencies(door, ROOT)))


if __name__ == "__main__":
    main(sys.argv[1:])
