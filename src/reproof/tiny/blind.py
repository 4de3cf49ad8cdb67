"""A policy that never looks at the screen: it opens the right app and guesses.

Its score is what the layout of the home screen and the counting of the judge
give away; a model that has learned to see must be clearly above it.
"""

from collections.abc import Iterator

from reproof.tiny.action import button, click, terminate, with_text, write_response
from reproof.tiny.clauses import KINDS
from reproof.tiny.phone import ICONS, SUBMIT
from reproof.tiny.tasks import Task
from reproof.tiny.words import SKIES, TINTS

_GUESSES = {"sky": SKIES[0], "colour": TINTS[0]}


def blind_responses(task: Task) -> Iterator[str]:
    """The whole episode's turns, fixed before it begins."""
    yield write_response("go home", button("Home"))
    last = task.clauses[-1].kind
    yield write_response("open the app", click(ICONS[KINDS[last].app].centre()))
    if last in _GUESSES:
        yield write_response("guess", with_text("answer", _GUESSES[last]))
        yield write_response("submit", click(SUBMIT["submit"].centre()))
    yield write_response("done", terminate("success"))
