import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproof.ground.unknown import Unknown
from reproof.probe.git import probe_git, public_url
from reproof.record.world import Change, GitState
from tests.record.project import commit, git


def state(root: Path, outs: tuple[str, ...] = ()) -> GitState:
    found = probe_git(root, outs)
    assert isinstance(found, GitState)
    return found


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("kept.py", "edited.py", "deleted.py", "staged.py"):
        (tmp_path / name).write_text(name)
    commit(tmp_path)
    return tmp_path


def test_commit_and_branch_are_those_that_git_names(repository: Path) -> None:
    found = state(repository)
    assert found.commit == git(repository, "rev-parse", "HEAD").strip()
    assert found.branch == git(repository, "branch", "--show-current").strip()
    assert found.changes == ()
    assert not found.is_dirty


def test_every_kind_of_change_is_seen(repository: Path) -> None:
    (repository / "edited.py").write_text("other")
    (repository / "deleted.py").unlink()
    (repository / "staged.py").write_text("other")
    git(repository, "add", "staged.py")
    (repository / "new folder").mkdir()
    (repository / "new folder" / "ä b.py").write_text("new")
    (repository / "added.py").write_text("new")
    git(repository, "add", "added.py")
    assert state(repository).changes == (
        Change("added.py", "added"),
        Change("deleted.py", "deleted"),
        Change("edited.py", "modified"),
        Change("new folder/ä b.py", "untracked"),
        Change("staged.py", "modified"),
    )


def test_changes_are_the_paths_that_git_status_lists(repository: Path) -> None:
    git(repository, "mv", "kept.py", "moved.py")
    (repository / "x.py").write_text("x")
    listed = git(repository, "status", "--porcelain", "--no-renames", "-uall").splitlines()
    assert {change.path for change in state(repository).changes} == {line[3:] for line in listed}


def test_a_conflict_is_a_conflict(repository: Path) -> None:
    git(repository, "switch", "-q", "-c", "other")
    (repository / "edited.py").write_text("theirs")
    commit(repository)
    git(repository, "switch", "-q", "main")
    (repository / "edited.py").write_text("ours")
    commit(repository)
    with pytest.raises(Exception, match="exit status 1"):
        git(repository, "merge", "-q", "other")
    assert state(repository).changes == (Change("edited.py", "conflict"),)


def test_a_name_that_is_no_utf8_is_still_named(repository: Path) -> None:
    (Path(os.fsdecode(os.fsencode(repository) + b"/\xff.py"))).write_text("x")
    assert state(repository).changes == (Change("\\xff.py", "untracked"),)


def test_what_the_pipeline_writes_makes_no_tree_dirty(repository: Path) -> None:
    for name in ("dvc.lock", "run_info/run_info.json", "data/.gitignore", "data/eval/r.json"):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text("x")
    found = state(repository, ("data/eval",))
    assert not found.is_dirty
    assert [change.path for change in found.generated_changes] == [
        "data/.gitignore",
        "data/eval/r.json",
        "dvc.lock",
        "run_info/run_info.json",
    ]
    assert [change.path for change in state(repository).changes] == ["data/eval/r.json"]


def test_a_project_in_a_subfolder_has_paths_of_its_own(repository: Path) -> None:
    (repository / "sub").mkdir()
    (repository / "sub" / "x.py").write_text("x")
    (repository / "edited.py").write_text("other")
    changes = {change.path for change in state(repository / "sub").changes}
    assert changes == {"x.py", "../edited.py"}


def test_ignored_files_are_no_change(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.log\n")
    (repository / "x.log").write_text("x")
    assert state(repository).changes == ()


def test_a_repository_without_a_commit_says_so(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "x").write_text("x")
    found = state(tmp_path)
    assert found.commit == Unknown("there is no commit yet")
    assert found.branch == "main"
    assert found.changes == (Change("x", "untracked"),)


def test_a_detached_head_has_a_commit_and_no_branch(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    assert state(repository).branch == Unknown("HEAD is detached")
    assert isinstance(state(repository).commit, str)


def test_a_folder_outside_git_and_a_bare_repository_say_so(tmp_path: Path) -> None:
    assert probe_git(tmp_path) == Unknown("is not in a git repository")
    assert probe_git(tmp_path / "nowhere") == Unknown("is not in a git repository")
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    assert probe_git(tmp_path / "bare.git") == Unknown("is in a bare git repository")


def test_the_variables_of_a_git_hook_do_not_lead_astray(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "-q")
    before = state(repository)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert state(repository) == before


def test_a_users_own_settings_do_not_hide_a_change(repository: Path) -> None:
    (repository / "new.py").write_text("x")
    git(repository, "config", "status.showUntrackedFiles", "no")
    git(repository, "config", "status.relativePaths", "false")
    git(repository, "config", "core.quotePath", "true")
    assert state(repository).changes == (Change("new.py", "untracked"),)


def test_asking_writes_nothing(repository: Path) -> None:
    index = repository / ".git" / "index"
    os.utime(repository / "kept.py", (1, 1))
    before = index.read_bytes()
    state(repository)
    assert index.read_bytes() == before


def test_origin_comes_before_other_remotes(repository: Path) -> None:
    git(repository, "remote", "add", "aaa", "https://a.example/r.git")
    assert state(repository).remote == "https://a.example/r.git"
    git(repository, "remote", "add", "origin", "https://me:ghp_geheim@o.example:8443/r.git?t=x")
    assert state(repository).remote == "https://o.example:8443/r.git"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://github.com/a/b.git", "https://github.com/a/b.git"),
        ("https://me@github.com/a/b", "https://github.com/a/b"),
        ("https://x-access-token:ghs_geheim@github.com/a/b", "https://github.com/a/b"),
        ("https://h.example/a/b?access_token=geheim#geheim", "https://h.example/a/b"),
        ("ssh://git:geheim@h.example:22/a/b", "ssh://h.example:22/a/b"),
        ("git@github.com:a/b.git", "github.com:a/b.git"),
        ("geheim:geheim@h.example:a/b", "h.example:a/b"),
        ("https://a:geheim@[::1/a", Unknown("the remote is no plain URL")),
        ("https://h.example:geheim/a", Unknown("the remote is no plain URL")),
        ("ext::sh -c geheim", Unknown("the remote is no plain URL")),
        ("/home/geheim/repo", Unknown("the remote is a folder on the machine")),
        ("../geheim", Unknown("the remote is a folder on the machine")),
        ("file:///home/geheim", Unknown("the remote is a folder on the machine")),
        ("", Unknown("the remote is a folder on the machine")),
    ],
)
def test_a_url_is_shown_without_what_is_nobodys_business(url: str, shown: str | Unknown) -> None:
    assert public_url(url) == shown
    assert "geheim" not in str(shown)


@given(st.text("abc:/@?#%.[]", max_size=12), st.sampled_from(["https://", "ssh://", ""]))
def test_user_info_never_comes_out(rest: str, scheme: str) -> None:
    shown = public_url(f"{scheme}user:pass@{rest}")
    assert isinstance(shown, Unknown) or "pass" not in shown
