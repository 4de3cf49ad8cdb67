"""Ask git which code this is. Absent answers say why; no URL leaves with a user name in it."""

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from reproof.ground.unknown import Unknown
from reproof.record.world import Change, GitState

if TYPE_CHECKING:
    import git

_KINDS = {"M": "modified", "T": "modified", "A": "added", "D": "deleted", "U": "conflict"}
_SCHEMES = ("http", "https", "ssh", "git", "git+ssh")
_SCP_LIKE = re.compile(r"(?:[^@/\s]+@)?(?P<host>[A-Za-z0-9][\w.-]*):(?P<path>(?!//)[\w./~+-]+)")
_GENERATED = ("dvc.lock", "run_info")
"""Written by a run and committed after it, so they are no edit of the code."""


def probe_git(root: Path, outs: Collection[str] = ()) -> GitState | Unknown:
    """State of the repository that holds `root`; `outs` are paths that the pipeline writes.

    Files in `outs`, dvc.lock, run_info/ and .gitignore files (DVC keeps them) count
    as generated. Unknown when there is no git or no repository.
    """
    try:
        import git
    except ImportError:
        return Unknown("git is not installed")
    try:
        with git.Repo(root, search_parent_directories=True) as repo:
            return _state(repo, root.resolve(), outs)
    except (git.exc.InvalidGitRepositoryError, git.exc.NoSuchPathError):
        return Unknown("is not in a git repository")
    except (git.exc.GitCommandNotFound, git.exc.GitCommandError) as error:
        return Unknown(f"git would not answer ({_reason(error)})")


def public_url(url: str) -> str | Unknown:
    """A remote's URL without user info, query and fragment; Unknown for anything but a plain one.

    A folder of this machine is not named, as its path is nobody's business.
    """
    if match := _SCP_LIKE.fullmatch(url):
        return f"{match['host']}:{match['path']}"
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return Unknown("the remote is no plain URL")
    if parts.scheme in ("", "file"):
        return Unknown("the remote is a folder on the machine")
    if parts.scheme not in _SCHEMES or not parts.hostname:
        return Unknown("the remote is no plain URL")
    return urlunsplit((parts.scheme, parts.hostname + port, parts.path, "", ""))


def _state(repo: "git.Repo", root: Path, outs: Collection[str]) -> GitState | Unknown:
    if repo.working_tree_dir is None:
        return Unknown("is in a bare git repository")
    top = Path(repo.working_tree_dir).resolve()
    _pin(repo, top)
    changes = tuple(_changes(repo, root.relative_to(top).as_posix()))
    generated = tuple(change for change in changes if _is_generated(change.path, outs))
    return GitState(
        commit=_commit(repo),
        branch=_branch(repo),
        remote=_remote(repo),
        changes=tuple(change for change in changes if change not in generated),
        generated_changes=generated,
    )


def _pin(repo: "git.Repo", top: Path) -> None:
    """Inside a git hook, GIT_DIR and GIT_INDEX_FILE point elsewhere; and asking must not write."""
    repo.git.update_environment(
        GIT_DIR=str(repo.git_dir),
        GIT_WORK_TREE=str(top),
        GIT_INDEX_FILE=str(Path(repo.git_dir) / "index"),
        GIT_OPTIONAL_LOCKS="0",
    )


def _changes(repo: "git.Repo", prefix: str) -> Iterator[Change]:
    """Every path that differs from HEAD, relative to the project, sorted."""
    listing = repo.git.execute(
        ["git", "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames",
         "--ignore-submodules=none"],
        as_process=False, stdout_as_string=False, strip_newline_in_stdout=False,
    )  # fmt: skip
    entries = [entry for entry in bytes(listing).split(b"\0") if entry]
    for entry in sorted(entries, key=lambda entry: entry[3:]):
        # a name need not be UTF-8; JSON must be
        path = entry[3:].decode("utf-8", "backslashreplace")
        yield Change(_inside(path, prefix), _kind(entry[:2].decode()))


def _inside(path: str, prefix: str) -> str:
    return path if prefix == "." else Path(os.path.relpath(path, prefix)).as_posix()


def _kind(code: str) -> str:
    """Git's two letters, of the index and of the work tree, as one word."""
    if code == "??":
        return "untracked"
    if "U" in code or code in ("AA", "DD"):
        return "conflict"
    # deleted in the work tree beats added to the index: the file is not there
    letter = next(letter for letter in ("D", "A", "M", "T") if letter in code)
    return _KINDS[letter]


def _is_generated(path: str, outs: Collection[str]) -> bool:
    parts = path.split("/")
    parents = {"/".join(parts[: end + 1]) for end in range(len(parts))}
    return parts[-1] == ".gitignore" or bool(parents & {*_GENERATED, *outs})


def _commit(repo: "git.Repo") -> str | Unknown:
    try:
        return repo.head.commit.hexsha
    except ValueError:
        return Unknown("there is no commit yet")


def _branch(repo: "git.Repo") -> str | Unknown:
    if repo.head.is_detached:
        return Unknown("HEAD is detached")
    return repo.active_branch.name


def _remote(repo: "git.Repo") -> str | Unknown:
    """`origin`, or else the first by name."""
    names = sorted(
        (remote.name for remote in repo.remotes), key=lambda name: (name != "origin", name)
    )
    if not names:
        return Unknown("there is no remote")
    name = "origin" if "origin" in names else names[0]
    url = repo.config_reader().get_value(f'remote "{name}"', "url", "")
    return public_url(str(url))


def _reason(error: Exception) -> str:
    """The first line that git itself wrote; the rest may hold paths."""
    text = str(getattr(error, "stderr", "") or error).strip().strip("'").splitlines()
    return next((line.strip() for line in text if line.strip()), "it gave no reason")
