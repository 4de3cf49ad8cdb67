"""The simulated phone as an environment with Gymnasium's reset and step.

No clock and no global random state: the same task and the same actions give
the same episode, byte for byte.
"""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from PIL import Image

from reproof.tiny.action import Action, parse_response
from reproof.tiny.apps.app import App, State
from reproof.tiny.apps.catalogue import APPS, INSTALLED
from reproof.tiny.canvas import HEIGHT, WIDTH, Canvas, Cell, grid
from reproof.tiny.clauses import KINDS
from reproof.tiny.judge import Check, Judgement, diff, unexpected
from reproof.tiny.scene import HOME, first_state
from reproof.tiny.tasks import Task

# Raised whenever the same task and actions may give another episode.
WORLD_VERSION = "1"
# As many equal actions in a row are a loop; the last one is not carried out.
LOOP_LENGTH = 6
ICONS = grid(tuple(app.name for app in INSTALLED))
DIALOG_OK = {"ok": Cell(0, 3, 3)}
SUBMIT = {"submit": Cell(2, 5)}


@dataclass(frozen=True)
class Observation:
    """What the policy sees: the goal and the screen."""

    goal: str
    screen: Image.Image


class Phone:
    """One episode. `reset` starts it; `step` takes what the policy wrote."""

    def reset(self, task: Task) -> tuple[Observation, dict[str, Any]]:
        """Begin a task; returns the first observation and an info dict."""
        self.begin(task)
        return self._observe(), {}

    def begin(self, task: Task) -> None:
        """Begin a task without drawing the first screen."""
        self.task = task
        self.state = first_state(task.clauses, task.seed)
        self.first = self.snapshot()
        self.stop_reason: str | None = None
        self.steps = 0
        self._repeated: tuple[Action | None, int] = (None, 0)

    def step(self, response: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out one turn of the policy.

        Returns observation, reward (the episode's return at its end, else 0),
        terminated, truncated, info.
        """
        self.apply(response)
        truncated = self.stop_reason in ("MAX_STEPS", "REPETITIVE_LOOP")
        terminated = self.stop_reason is not None and not truncated
        reward = self.judge().episode_return if self.stop_reason else 0.0
        return self._observe(), reward, terminated, truncated, {"stop_reason": self.stop_reason}

    def apply(self, response: str) -> None:
        """Carry out one turn of the policy without drawing the next screen."""
        self.steps += 1
        action = parse_response(response)
        if action is None:
            self.stop_reason = "FORMAT_ERROR"
        elif self._loops(action):
            self.stop_reason = "REPETITIVE_LOOP"
        else:
            self._act(action)
            if self.stop_reason is None and self.steps >= self.task.max_steps:
                self.stop_reason = "MAX_STEPS"

    def snapshot(self) -> State:
        """A copy of the whole state, as JSON."""
        return deepcopy(self.state)

    def fork(self) -> "Phone":
        """A second phone that goes on from here on its own."""
        return deepcopy(self)

    def judge(self) -> Judgement:
        """Judge the state as it is now."""
        checks: list[Check] = []
        expected: list[str] = []
        for clause in self.task.clauses:
            kind = KINDS[clause.kind]
            checks += kind.checks(clause.slots, self.first, self.state)
            expected += kind.expected(clause.slots)
        side_effects = unexpected(diff(self.first, self.state), expected)
        return Judgement(tuple(checks), side_effects, self.stop_reason == "COMPLETE")

    def cells(self) -> dict[str, Cell]:
        """Everything that reacts to a tap on the screen now shown."""
        if self.state["os"]["isDialogVisible"]:
            return DIALOG_OK
        app = self.front()
        below = ICONS if app is None else app.buttons(self.app_state(app))
        return below | SUBMIT if "answer_sheet" in self.state["apps"] else below

    def front(self) -> App | None:
        """The app in front, or None on the home screen."""
        return APPS.get(self.state["os"]["activeAppId"])

    def app_state(self, app: App) -> State:
        """That app's own state."""
        state: State = self.state["apps"][app.name]
        return state

    def render(self) -> Image.Image:
        """Draw the screen now shown, 96 × 192 pixels."""
        canvas, app = Canvas(), self.front()
        if app is None:
            canvas.title(HOME, (30, 30, 30))
            for other in INSTALLED:
                canvas.tile(ICONS[other.name], other.tint, other.name)
        else:
            canvas.title(app.name, app.tint)
            app.paint(canvas, self.app_state(app))
        self._paint_sheet(canvas)
        if self.state["os"]["isDialogVisible"]:
            canvas.tile(Cell(0, 2, 3), (255, 255, 255), "update ready")
            canvas.tile(DIALOG_OK["ok"], (255, 120, 0), "ok")
        return canvas.image

    def _observe(self) -> Observation:
        return Observation(self.task.goal, self.render())

    def _paint_sheet(self, canvas: Canvas) -> None:
        sheet = self.state["apps"].get("answer_sheet")
        if sheet is not None:
            answer = sheet["answers"].get("0", "")
            canvas.tile(Cell(0, 5, 2), (255, 230, 60) if answer else (255, 255, 255), answer)
            blue, green = (60, 120, 240), (40, 160, 60)
            canvas.tile(SUBMIT["submit"], green if sheet["submitted"] else blue, "submit")

    def _loops(self, action: Action) -> bool:
        last, count = self._repeated
        self._repeated = (action, count + 1 if action == last else 1)
        return self._repeated[1] >= LOOP_LENGTH

    def _act(self, action: Action) -> None:
        if action.name == "terminate":
            success = action.argument("status") == "success"
            self.stop_reason = "COMPLETE" if success else "ABORT"
        elif action.name == "click":
            self._tap(*action.argument("coordinate"))
        elif action.name == "answer" and "answer_sheet" in self.state["apps"]:
            self.state["apps"]["answer_sheet"]["answers"]["0"] = action.argument("text")
        elif self.state["os"]["isDialogVisible"]:
            return
        elif action.name == "system_button":
            self._press_system(action.argument("button"))
        elif action.name == "type" and (app := self.front()) is not None:
            app.type_text(self.app_state(app), action.argument("text"))

    def _tap(self, x: float, y: float) -> None:
        point = x * WIDTH / 1000, y * HEIGHT / 1000
        hit = next((name for name, cell in self.cells().items() if cell.holds(*point)), None)
        app = self.front()
        if hit is None:
            return
        if self.state["os"]["isDialogVisible"]:
            self.state["os"]["isDialogVisible"] = False
        elif hit == "submit":
            sheet = self.state["apps"]["answer_sheet"]
            sheet["submitted"] = not sheet["submitted"]
        elif app is None:
            self.state["os"]["activeAppId"] = hit
        else:
            app.press(self.app_state(app), hit)

    def _press_system(self, name: str) -> None:
        app = self.front()
        if app is None or name not in ("Back", "Home"):
            return
        if name == "Home" or not self.app_state(app)["_temp"]:
            self.state["os"]["activeAppId"] = HOME
        self.app_state(app)["_temp"] = {}
