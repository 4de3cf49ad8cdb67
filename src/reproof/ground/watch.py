"""Watch which files below a folder this process and its Python children open.

Python tells an audit hook about every file that it opens. Not seen: what compiled code opens by
itself (Arrow, safetensors, SQLite) and what other programs read; those are at least named.
Only the standard library is imported here, as every Python child imports this file first.
"""

# pathlib would follow links, by which a path into DVC's cache loses its name
# ruff: noqa: PTH100, PTH118, PTH119

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_LOG, _ROOT = "REPROOF_WATCH_LOG", "REPROOF_WATCH_ROOT"
_WRITES = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
_SPAWNS = {"subprocess.Popen": 0, "os.posix_spawn": 0, "os.exec": 0, "os.spawn": 1}
_CHILD = """
# Python runs this first, in every child of a watched process.
import os, sys
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
try:
    from reproof.ground import watch
    watch.join()
except ImportError:
    pass
own = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize  # the one that this file stands before
except ImportError:
    sys.modules["sitecustomize"] = own
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """Files by path from the folder, sorted; `read` leaves out what was first written.

    `programs` are the names of those that were started.
    """

    read: tuple[str, ...]
    written: tuple[str, ...]
    programs: tuple[str, ...]


class _Notes:
    """Where one process notes what it saw: each thing once, in one line of a shared file."""

    def __init__(self, log: str, root: str) -> None:
        self._handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._roots = _tops(root)
        self._seen: set[tuple[object, str]] = set()

    def opened(self, path: Any, flags: int) -> None:
        """A file is about to be opened."""
        kind = "w" if flags & _WRITES else "r"
        if isinstance(path, int) or (path, kind) in self._seen:
            return
        self._seen.add((path, kind))
        whole = os.path.abspath(os.fsdecode(path))
        for root in self._roots:
            if whole.startswith(root):
                self._note(kind, whole[len(root) :])

    def started(self, program: Any) -> None:
        """A program is about to be started."""
        name = os.path.basename(os.fsdecode(program)) if program else "a shell"
        if (name, "p") not in self._seen:
            self._seen.add((name, "p"))
            self._note("p", name)

    def _note(self, kind: str, name: str) -> None:
        os.write(self._handle, f"{kind}{name}\0".encode("utf-8", "surrogateescape"))

    def close(self) -> None:
        """Free the file."""
        os.close(self._handle)


_notes: _Notes | None = None
_hooked = False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    """Called by Python at every audited event; it must be quick and must never raise."""
    notes = _notes
    if notes is None:
        return
    try:
        if event == "open":
            notes.opened(arguments[0], arguments[2] or 0)
        elif event in _SPAWNS:
            notes.started(arguments[_SPAWNS[event]])
        elif event == "os.system":
            notes.started("sh")
    except (TypeError, ValueError, OSError):
        return


@contextmanager
def watching(root: Path) -> Iterator[Path]:
    """Watch the block; gives the log, for `seen` to read when the block has ended.

    A hook cannot be taken out again; after the block it does nothing.
    """
    with tempfile.TemporaryDirectory(prefix="reproof-watch-") as scratch:
        log, child = Path(scratch) / "log", Path(scratch) / "child"
        child.mkdir()
        (child / "sitecustomize.py").write_text(_CHILD, encoding="utf-8")
        own = {_LOG: str(log), _ROOT: os.path.abspath(root)}
        before = {name: os.environ.get(name) for name in (*own, "PYTHONPATH")}
        others = [path for path in [os.environ.get("PYTHONPATH")] if path]
        os.environ.update(own, PYTHONPATH=os.pathsep.join([str(child), *others]))
        join()
        try:
            yield log
        finally:
            _leave()
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def join() -> None:
    """Begin to note what this process opens, where its environment says so."""
    global _notes, _hooked
    if not (log := os.environ.get(_LOG)):
        return
    _notes = _Notes(log, os.environ[_ROOT])
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked = True


def _leave() -> None:
    global _notes
    notes, _notes = _notes, None
    if notes is not None:
        notes.close()


def seen(log: Path, root: Path) -> Seen:
    """What a log says, together with the modules that are loaded; only files that are there."""
    entries = log.read_bytes().decode("utf-8", "surrogateescape").split("\0")[:-1]
    read: set[str] = set()
    written: set[str] = set()
    for entry in entries:
        name = _source(entry[1:])
        if entry[0] == "w" and name not in read:
            written.add(name)
        elif entry[0] == "r" and name not in written:
            read.add(name)
    read |= _modules(root)
    return Seen(
        read=tuple(sorted(name for name in read if (root / name).is_file())),
        written=tuple(sorted(written)),
        programs=tuple(sorted({entry[1:] for entry in entries if entry[0] == "p"})),
    )


def _modules(root: Path) -> set[str]:
    """Loaded modules that lie below the folder: most were loaded before the watch began."""
    tops = _tops(str(root))
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    whole = [os.path.abspath(file) for file in files if isinstance(file, str)]
    return {file[len(top) :] for file in whole for top in tops if file.startswith(top)}


def _tops(root: str) -> tuple[str, ...]:
    """The folder as it was named and as it is, each with a slash at its end."""
    names = (os.path.abspath(root), os.path.realpath(root))
    return tuple(dict.fromkeys(os.path.join(name, "") for name in names))


def _source(name: str) -> str:
    """The source that a compiled file stands for."""
    folder, _, file = name.rpartition("/")
    if not file.endswith(".pyc") or not f"/{folder}".endswith("/__pycache__"):
        return name
    above = folder.removesuffix("__pycache__")
    return f"{above}{file.partition('.')[0]}.py"
