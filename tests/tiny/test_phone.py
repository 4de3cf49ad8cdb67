"""The phone: deterministic, solvable, forkable; screens show what the state holds."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproof.tiny.action import Action, button, click, terminate, with_text, write_response
from reproof.tiny.apps.catalogue import APPS
from reproof.tiny.canvas import HEIGHT, WIDTH
from reproof.tiny.expert import Expert
from reproof.tiny.judge import diff
from reproof.tiny.phone import LOOP_LENGTH, Phone
from reproof.tiny.tasks import TEMPLATES, Task, make_tasks

TASKS = make_tasks("train", 4 * len(TEMPLATES), seed=9)
DONE = write_response("done", terminate("success"))


def started(task: Task) -> Phone:
    phone = Phone()
    phone.begin(task)
    return phone


def solve(phone: Phone) -> list[str]:
    turns = []
    for thought, action in Expert(phone).moves():
        turns.append(write_response(thought, action))
        phone.apply(turns[-1])
    return turns


def find(template: str) -> Task:
    return next(task for task in TASKS if task.template == template)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.task_id)
def test_the_expert_solves_every_task_within_its_budget(task: Task) -> None:
    phone = started(task)
    turns = solve(phone)
    judgement = phone.judge()
    assert judgement.is_success, judgement
    assert judgement.episode_return == 1.0
    assert phone.stop_reason == "COMPLETE"
    assert len(turns) <= task.max_steps


def test_reset_and_step_have_the_shape_of_gymnasium() -> None:
    phone = Phone()
    observation, info = phone.reset(TASKS[0])
    assert observation.goal == TASKS[0].goal
    assert observation.screen.size == (WIDTH, HEIGHT)
    assert info == {}
    observation, reward, terminated, truncated, info = phone.step(DONE)
    assert (terminated, truncated, info) == (True, False, {"stop_reason": "COMPLETE"})
    assert reward == phone.judge().episode_return


ACTIONS = st.one_of(
    st.builds(click, st.tuples(st.integers(0, 999), st.integers(0, 999))),
    st.builds(button, st.sampled_from(["Home", "Back"])),
    st.builds(with_text, st.sampled_from(["type", "answer"]), st.text(max_size=8)),
)


@settings(max_examples=30)
@given(st.sampled_from(TASKS), st.lists(ACTIONS, max_size=7))
def test_the_same_actions_give_the_same_episode_to_the_last_pixel(
    task: Task, actions: list[Action]
) -> None:
    one, other = started(task), started(task)
    for action in actions:
        one.apply(write_response("x", action))
        other.apply(write_response("x", action))
    assert one.state == other.state
    assert one.render().tobytes() == other.render().tobytes()
    assert one.judge() == other.judge()


@settings(max_examples=30)
@given(st.sampled_from(TASKS), st.lists(ACTIONS, min_size=1, max_size=7))
def test_a_fork_goes_its_own_way_and_leaves_the_first_alone(
    task: Task, actions: list[Action]
) -> None:
    phone = started(task)
    before = phone.snapshot()
    fork = phone.fork()
    for action in actions:
        fork.apply(write_response("x", action))
    assert phone.state == before
    assert list(diff(before, phone.snapshot())) == []


@settings(max_examples=30)
@given(st.sampled_from(TASKS), st.lists(ACTIONS, max_size=7))
def test_the_state_is_json(task: Task, actions: list[Action]) -> None:
    phone = started(task)
    for action in actions:
        phone.apply(write_response("x", action))
    assert json.loads(json.dumps(phone.state)) == phone.state


def test_every_app_has_an_icon_that_opens_it() -> None:
    task = next(
        t for t in TASKS if (s := started(t).state["os"])["activeAppId"] == "home"
        and not s["isDialogVisible"]
    )  # fmt: skip
    for name in APPS:
        phone = started(task)
        phone.apply(write_response("open", click(phone.cells()[name].centre())))
        assert phone.state["os"]["activeAppId"] == name


def test_a_dialog_keeps_taps_from_the_app_below() -> None:
    phone = started(next(t for t in TASKS if started(t).state["os"]["isDialogVisible"]))
    before = phone.snapshot()
    phone.apply(write_response("x", click((167, 250))))
    assert phone.state == before
    phone.apply(write_response("x", click(phone.cells()["ok"].centre())))
    assert not phone.state["os"]["isDialogVisible"]


def test_what_the_user_must_see_changes_the_picture() -> None:
    phone = started(find("toggle"))
    phone.state["os"] = {"activeAppId": "settings", "isDialogVisible": False}
    off = phone.render().tobytes()
    toggles = phone.state["apps"]["settings"]["toggles"]
    toggles["wifi"] = not toggles["wifi"]
    assert phone.render().tobytes() != off


@pytest.mark.parametrize(
    ("turns", "reason"),
    [
        ([DONE], "COMPLETE"),
        ([write_response("x", terminate("failure"))], "ABORT"),
        (["no tool call"], "FORMAT_ERROR"),
        ([write_response("x", button("Home"))] * LOOP_LENGTH, "REPETITIVE_LOOP"),
        ([write_response("x", click((i * 50, 990))) for i in range(8)], "MAX_STEPS"),
    ],
)
def test_each_way_to_stop_has_its_reason(turns: list[str], reason: str) -> None:
    phone = started(find("event"))
    for turn in turns:
        assert phone.stop_reason is None
        phone.apply(turn)
    assert phone.stop_reason == reason


def test_the_last_action_of_a_loop_is_not_carried_out() -> None:
    phone = started(find("toggle"))
    phone.state["os"] = {"activeAppId": "settings", "isDialogVisible": False}
    before = phone.state["apps"]["settings"]["toggles"]["wifi"]
    for _ in range(LOOP_LENGTH):
        phone.apply(write_response("x", click(phone.cells()["wifi"].centre())))
    # Five taps turn it over, the sixth would turn it back.
    assert phone.state["apps"]["settings"]["toggles"]["wifi"] is not before


def test_typing_appends_to_an_old_draft_as_on_a_real_phone() -> None:
    phone = started(find("message"))
    apps = phone.state["apps"]
    phone.state["os"] = {"activeAppId": "messages", "isDialogVisible": False}
    apps["messages"] |= {"drafts": {"ana": "old"}, "_temp": {"person": "ana"}}
    phone.apply(write_response("x", with_text("type", "new")))
    assert apps["messages"]["drafts"]["ana"] == "oldnew"


def test_answers_go_through_the_answer_sheet_and_count_when_submitted() -> None:
    task = find("sky")
    phone = started(task)
    moves = solve(phone)
    assert any('"answer"' in turn for turn in moves)
    other = started(task)
    for turn in moves:
        if "submit" not in turn.splitlines()[0]:
            other.apply(turn)
    passed = {check.field: check.passed for check in other.judge().checks}
    assert passed == {"answer_sheet.sky": True, "answer_sheet.submitted": False}
    assert other.judge().episode_return == 0.25
