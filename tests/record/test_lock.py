import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from reproof.ground.errors import InputError
from reproof.record.lock import Artifact, parse_lock, read_lock
from reproof.record.plan import parse_plans, read_plans

# written by DVC 3.67.1 itself
DVC = Path(__file__).with_name("golden") / "dvc"


def lock() -> Any:
    return yaml.safe_load((DVC / "dvc.lock").read_text())


def test_a_lock_file_of_dvc_is_read_whole() -> None:
    stages = {stage.name: stage for stage in read_lock(DVC / "dvc.lock")}
    names = ["given", "make@1", "make@2", "mat@x-1", "mat@true-1", "record"]
    assert list(stages) == names
    made = stages["make@1"]
    assert made.cmd == "mkdir -p out-1 && echo 1 > out-1/y"
    assert made.params == {"params.yaml": {"seed": 1}}
    assert made.deps[0] == Artifact("folder", "a1ddc70331d2b84abc317d7d59df4ef6.dir", 5, 4)
    assert made.outs == (Artifact("out-1", "483cd4f55732b62809cb5c4a0bcd4a03.dir", 2, 1),)
    assert stages["record"].outs == ()


def test_foreach_and_matrix_are_written_out_as_dvc_does() -> None:
    plans = read_plans(DVC / "dvc.yaml", {})
    # what `dvc stage list --name-only` says
    assert [plan.name for plan in plans] == [stage.name for stage in read_lock(DVC / "dvc.lock")]
    assert [plan.name for plan in plans if plan.is_frozen] == ["given"]
    assert [plan.name for plan in plans if not plan.has_outs] == ["record"]


def stages(foreach: Any, params: Any = None) -> list[str]:
    value = {"stages": {"s": {"foreach": foreach, "do": {"cmd": "c", "outs": ["o"]}}}}
    return [plan.name for plan in parse_plans(value, params or {}, "dvc.yaml")]


def test_items_may_stand_in_params() -> None:
    assert stages("${models}", {"models": ["a", "b"]}) == ["s@a", "s@b"]
    assert stages("${a.b}", {"a": {"b": {"x": 1}}}) == ["s@x"]


def test_a_list_with_one_section_in_it_is_numbered() -> None:
    assert stages([{"x": 1}, 5]) == ["s@0", "s@1"]


def test_an_item_that_params_lack_is_named() -> None:
    with pytest.raises(InputError, match=r"refers to 'models', which params\.yaml lacks"):
        stages("${models}")


def test_a_list_of_commands_is_one_a_line() -> None:
    value = {"schema": "2.0", "stages": {"s": {"cmd": ["a", "b"]}}}
    assert parse_lock(value, "dvc.lock")[0].cmd == "a\nb"


def test_an_empty_lock_has_no_stages() -> None:
    assert parse_lock({"schema": "2.0"}, "dvc.lock") == ()


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda v: v.update(schema="1.0"), "has schema '1.0'"),
        (lambda v: v.update(surplus=1), "'surplus', which does not belong"),
        (lambda v: v["stages"]["given"].pop("cmd"), "stage given: has no cmd"),
        (lambda v: v["stages"]["given"].update(cmd=3), "has no cmd"),
        (lambda v: v["stages"]["given"].update(surplus=1), "'surplus', which does not"),
        (lambda v: v["stages"]["given"].update(outs={}), "must be a list"),
        (lambda v: v["stages"].update(given=[]), "must be a mapping"),
        (lambda v: out(v).pop("path"), "without a path"),
        (lambda v: out(v).update(md5="xyz"), "given: has no md5"),
        (lambda v: out(v).update(hash="sha"), "given: has no md5"),
        (lambda v: out(v).update(size=-1), "size: is -1"),
        (lambda v: out(v).update(size=True), "size: is True"),
        (lambda v: out(v).update(etag="e"), "'etag', which does not"),
        (lambda v: v["stages"]["given"]["outs"].append(out(v)), "names given twice"),
    ],
)
def test_a_lock_that_breaks_a_rule_is_refused(change: Any, rule: str) -> None:
    value = copy.deepcopy(lock())
    change(value)
    with pytest.raises(InputError, match=rule):
        parse_lock(value, "dvc.lock")


def out(value: Any) -> Any:
    return value["stages"]["given"]["outs"][0]
