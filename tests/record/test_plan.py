import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from reproof.ground.errors import InputError
from reproof.record.plan import StagePlan, parse_plans, read_plans

ROOT = Path(__file__).parents[2]
DVC = Path(__file__).with_name("golden") / "dvc"


def plan(body: dict[str, Any], params: dict[str, Any] | None = None) -> StagePlan:
    entry = {"cmd": "c", **body} if "do" not in body else body
    return parse_plans({"stages": {"s": entry}}, params or {}, "dvc.yaml")[0]


def test_deps_and_outs_with_their_flags_are_paths() -> None:
    read = plan({"deps": ["a", "b/c"], "outs": [{"o": {"cache": False}}], "metrics": ["m"]})
    assert (read.deps, read.outs) == (("a", "b/c"), ("o", "m"))


def test_params_are_keys_of_params_yaml_or_of_the_file_that_is_named() -> None:
    read = plan({"params": ["seed", "train.beta", {"other.yaml": ["x"]}, {"whole.json": None}]})
    assert read.params == {
        "params.yaml": ("seed", "train.beta"),
        "other.yaml": ("x",),
        "whole.json": (),
    }


def test_references_are_written_out_alone_and_inside_a_text() -> None:
    body = {"cmd": "run ${a.b} ${flag}", "deps": ["x-${a.b}", "${list[1]}"]}
    read = plan(body, {"a": {"b": 5}, "flag": True, "list": ["p", "q"]})
    assert (read.cmd, read.deps) == ("run 5 true", ("x-5", "q"))


def test_each_item_of_a_foreach_fills_key_and_item() -> None:
    do = {"cmd": "t ${key}", "deps": ["${item.start}"], "outs": ["m-${key}"]}
    read = plan({"foreach": {2: {"start": "m-1"}}, "do": do})
    assert (read.name, read.cmd, read.deps, read.outs) == ("s@2", "t 2", ("m-1",), ("m-2",))


def test_a_reference_that_params_lack_is_named_with_its_stage() -> None:
    with pytest.raises(InputError, match=r"stage s: refers to 'a\.c', which params\.yaml lacks"):
        plan({"deps": ["${a.c}"]}, {"a": {"b": 1}})


def test_a_working_directory_is_refused_and_not_passed_over() -> None:
    with pytest.raises(InputError, match="wdir"):
        plan({"wdir": "sub"})


ASK_DVC = """
import json
from dvc.repo import Repo
from dvc.dependency import ParamsDependency
found = {}
for stage in Repo(".").index.stages:
    params = [dep for dep in stage.deps if isinstance(dep, ParamsDependency)]
    found[stage.addressing] = {
        "cmd": stage.cmd,
        "deps": [dep.def_path for dep in stage.deps if dep not in params],
        "params": {dep.def_path: list(dep.params) for dep in params},
        "outs": [out.def_path for out in stage.outs],
        "frozen": stage.frozen,
        "always_changed": stage.always_changed,
    }
print(json.dumps(found))
"""


@pytest.mark.slow
@pytest.mark.parametrize("source", [ROOT, DVC], ids=["ours", "golden"])
def test_it_reads_what_dvc_itself_reads(source: Path, tmp_path: Path) -> None:
    shutil.copy(source / "dvc.yaml", tmp_path)
    params = (ROOT / "params.yaml").read_text() if source == ROOT else "seed: 1\n"
    (tmp_path / "params.yaml").write_text(params)
    dvc = str(Path(sys.executable).with_name("dvc"))
    subprocess.run([dvc, "init", "-q", "--no-scm"], cwd=tmp_path, check=True)
    asked = subprocess.run(
        [sys.executable, "-c", ASK_DVC], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    theirs = yaml.safe_load(asked.stdout)
    plans = read_plans(tmp_path / "dvc.yaml", yaml.safe_load(params))
    ours = {
        plan.name: {
            "cmd": plan.cmd,
            "deps": sorted(plan.deps),
            "params": {file: list(keys) for file, keys in plan.params.items()},
            "outs": sorted(plan.outs),
            "frozen": plan.is_frozen,
            "always_changed": plan.always_changed,
        }
        for plan in plans
    }
    for stage in theirs.values():
        stage["deps"], stage["outs"] = sorted(stage["deps"]), sorted(stage["outs"])
    assert ours == theirs
