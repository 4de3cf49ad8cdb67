import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reproof.record.guard import reports_of, was_off
from tests.flow.guarded_project import run, write_project

MAKE = "(root / 'out/made.txt').write_text('made')"
REFUSED = ".dvc/tmp/reproof/refused/make"


def test_a_stage_that_keeps_to_its_declaration_passes_and_is_reported(tmp_path: Path) -> None:
    write_project(tmp_path, f"(root / 'given.txt').read_text()\n{MAKE}")
    done = run(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    (report,) = reports_of(tmp_path, "make")
    assert report.verdict == "passed"
    assert report.deps["given.txt"].md5 == hashlib.md5(b"given\n").hexdigest()
    assert report.files_in["raw/deep/b.txt"] == hashlib.sha256(b"b\n").hexdigest()
    assert report.files_out == {"out/made.txt": hashlib.sha256(b"made").hexdigest()}
    assert report.params["params.yaml"]["seed"] == 1234
    assert set(report.reads) == {"make.py", "code_of.py", "given.txt"}


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        ("(root / 'code_of.py').write_text('# edited')", "code_of.py"),
        ("(root / 'given.txt').write_text('GIVEN\\n')", "given.txt"),
        ("(root / 'raw/deep/b.txt').write_text('c\\n')", "raw/deep/b.txt"),
        ("(root / 'raw/deep/c.txt').write_text('new')", "raw/deep/c.txt"),
        ("(root / 'raw/a.txt').unlink()", "raw/a.txt"),
        (
            "p = root / 'params.yaml'; p.write_text(p.read_text().replace('0.1', '0.2'))",
            "params.yaml: train",
        ),
    ],
)
def test_what_changes_while_the_stage_runs_fails_it(edit: str, named: str, tmp_path: Path) -> None:
    write_project(tmp_path, f"{MAKE}\n{edit}")
    done = run(tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"make: {named}: changed while the stage ran; ")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out/made.txt").exists()
    assert (tmp_path / REFUSED / "out/made.txt").read_text() == "made"
    assert reports_of(tmp_path, "make") == ()


def test_an_edit_with_size_and_times_kept_fails_it_too(tmp_path: Path) -> None:
    edit = """
import os
path = root / 'given.txt'
old = path.stat()
path.write_text('giveN\\n')
os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
"""
    write_project(tmp_path, MAKE + edit)
    assert "given.txt: changed" in run(tmp_path).stderr


def test_params_that_the_stage_does_not_declare_may_change(tmp_path: Path) -> None:
    edit = (
        "p = root / 'params.yaml'; p.write_text(p.read_text().replace('alpha: 0.05', 'alpha: 0.1'))"
    )
    write_project(tmp_path, f"{MAKE}\n{edit}")
    assert run(tmp_path).returncode == 0


READS = {
    "open": "open('secret.txt').close()",
    "os.open": "import os; os.close(os.open('secret.txt', os.O_RDONLY))",
    "in a thread": """
import threading
reader = threading.Thread(target=open, args=('secret.txt',))
reader.start(); reader.join()
""",
    "in a fork": """
import os
pid = os.fork()
if not pid:
    open('secret.txt'); os._exit(0)
os.waitpid(pid, 0)
""",
    "in a child": """
import subprocess, sys
subprocess.run([sys.executable, '-c', 'open("secret.txt")'], check=True)
""",
    "by another name": "open('raw/../secret.txt').close()",
    "from elsewhere": """
import os
here = os.getcwd(); os.chdir('/')
open(here + '/secret.txt').close(); os.chdir(here)
""",
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_file_that_is_read_and_not_declared_fails_it(read: str, tmp_path: Path) -> None:
    write_project(tmp_path, f"{MAKE}\n{read}")
    done = run(tmp_path)
    assert done.returncode == 2, done.stderr
    assert "make: secret.txt: was read, but dvc.yaml does not declare it" in done.stderr
    assert not (tmp_path / "out/made.txt").exists()


def test_an_undeclared_module_fails_it_although_python_read_only_its_compiled_form(
    tmp_path: Path,
) -> None:
    write_project(tmp_path, f"{MAKE}\nimport hidden_module")
    (tmp_path / "hidden_module.py").write_text("VALUE = 1\n")
    cached = {"PYTHONDONTWRITEBYTECODE": ""}
    for _ in range(2):
        assert "hidden_module.py: was read" in run(tmp_path, **cached).stderr
    assert list(tmp_path.glob("__pycache__/hidden_module*.pyc"))


def test_under_warn_an_undeclared_file_is_a_warning_and_a_change_still_fails(
    tmp_path: Path,
) -> None:
    write_project(tmp_path, f"{MAKE}\nopen('secret.txt').close()")
    done = run(tmp_path, REPROOF_GUARD="warn")
    assert done.returncode == 0
    assert "make: warning: read secret.txt, which dvc.yaml does not declare" in done.stderr
    (report,) = reports_of(tmp_path, "make")
    assert (report.verdict, report.undeclared) == ("warned", ("secret.txt",))
    write_project(tmp_path / "b", f"{MAKE}\n(root / 'given.txt').write_text('')")
    assert run(tmp_path / "b", REPROOF_GUARD="warn").returncode == 2


def test_switched_off_it_lets_all_pass_and_leaves_a_mark_until_the_next_guarded_run(
    tmp_path: Path,
) -> None:
    write_project(tmp_path, f"{MAKE}\nopen('secret.txt').close()")
    assert run(tmp_path, REPROOF_GUARD="off").returncode == 0
    assert was_off(tmp_path, "make")
    run(tmp_path, REPROOF_GUARD="warn")
    assert not was_off(tmp_path, "make")


def test_a_switch_that_is_misspelt_is_refused(tmp_path: Path) -> None:
    write_project(tmp_path, MAKE)
    done = run(tmp_path, REPROOF_GUARD="of")
    assert done.stderr == "make: REPROOF_GUARD: is 'of', must be one of on, warn, off; unset it\n"


@pytest.mark.parametrize(
    "read",
    [
        "(root / 'scratch.txt').write_text('x'); (root / 'scratch.txt').read_text()",
        "(root / 'out/made.txt').read_text()",
        "open('/etc/hostname').close()",
        "(root / 'absent.txt').exists() or None",
    ],
    ids=["written by itself", "its own out", "outside", "only asked for"],
)
def test_what_is_no_input_may_be_read(read: str, tmp_path: Path) -> None:
    write_project(tmp_path, f"{MAKE}\n{read}")
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_stage_that_always_runs_may_read_what_it_likes(tmp_path: Path) -> None:
    write_project(tmp_path, f"{MAKE}\nopen('secret.txt').close()", always_changed=True)
    assert run(tmp_path).returncode == 0
    assert "secret.txt" in reports_of(tmp_path, "make")[0].reads


def test_programs_that_cannot_be_watched_are_named(tmp_path: Path) -> None:
    write_project(tmp_path, f"{MAKE}\nimport subprocess\nsubprocess.run(['cat', 'secret.txt'])")
    run(tmp_path)
    assert reports_of(tmp_path, "make")[0].programs == ("cat",)


def test_an_error_of_the_stage_is_told_as_it_is(tmp_path: Path) -> None:
    error = "from reproof.ground.errors import InputError\nraise InputError('x', 'is y', 'do z')"
    write_project(tmp_path, error)
    assert run(tmp_path).stderr == "make: x: is y; do z\n"


def test_a_stage_that_dvc_yaml_does_not_know_is_not_run(tmp_path: Path) -> None:
    write_project(tmp_path, MAKE)
    (tmp_path / "dvc.yaml").write_text("stages: {}\n")
    done = run(tmp_path)
    assert done.returncode == 2
    assert "dvc.yaml: declares no stage make" in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_sitecustomize_of_the_user_still_runs_in_children(tmp_path: Path) -> None:
    child = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'pass'], check=True)"
    write_project(tmp_path / "project", f"{MAKE}\n{child}")
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import sys; print('own', file=sys.stderr)\n")
    path = {"PYTHONPATH": ":".join([str(own), *filter(None, sys.path)])}
    assert run(tmp_path / "project", **path).stderr.count("own") == 2


@pytest.mark.slow
@pytest.mark.parametrize("is_guarded", [False, True], ids=["dvc alone", "guarded"])
def test_a_script_that_is_edited_while_it_runs(is_guarded: bool, tmp_path: Path) -> None:
    """treeverse/dvc#11058: DVC puts the new script down as the maker of the old one's output."""
    edit = "p = root / 'code_of.py'; p.write_text(p.read_text().replace('made', 'EDITED'))"
    write_project(tmp_path, f"{MAKE}\n{edit}")
    for call in (["git", "init", "-q"], ["dvc", "init", "-q"], ["dvc", "repro"]):
        done = dvc(tmp_path, call, "on" if is_guarded else "off")
    lock = tmp_path / "dvc.lock"
    if is_guarded:
        assert done.returncode != 0
        assert "code_of.py: changed while the stage ran" in done.stdout + done.stderr
        assert not lock.exists()
        assert not (tmp_path / "out/made.txt").exists()
        return
    assert done.returncode == 0, done.stderr
    # the lock binds the edited script to what the script before the edit made, and DVC is content
    new_script = hashlib.md5((tmp_path / "code_of.py").read_bytes()).hexdigest()
    assert "EDITED" in (tmp_path / "code_of.py").read_text()
    assert new_script in lock.read_text()
    assert (tmp_path / "out/made.txt").read_text() == "made"
    status: Any = json.loads(dvc(tmp_path, ["dvc", "status", "--json"], "off").stdout)
    assert status == {}


def dvc(root: Path, call: list[str], guard: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which(call[0], path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert program
    environ = {
        **os.environ,
        "DVC_NO_ANALYTICS": "1",
        "REPROOF_PINS": "off",
        "REPROOF_GUARD": guard,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    return subprocess.run(
        [program, *call[1:]], cwd=root, env=environ, capture_output=True, text=True, check=False
    )
