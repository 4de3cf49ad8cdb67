"""Run one stage of the pipeline: pinned, guarded, with checked params, errors as one line."""

import sys
from collections.abc import Callable
from pathlib import Path

from reproof.flow.guard import guarded
from reproof.ground import pins
from reproof.ground.errors import ReproofError
from reproof.ground.params import Params, read_params


def run_stage(name: str, body: Callable[[Path, Params], object]) -> None:
    """Call `body` with the project's root and its params; exit with 2 on an error.

    The process starts again with pinned CPU settings before anything heavy is imported, and the
    guard watches the body in the pinned process.
    """
    try:
        params = read_params()
        pins.enter(params.scale)
        with guarded(Path(), name):
            body(Path(), params)
    except ReproofError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print(f"{name}: interrupted; nothing half done is kept, run it again", file=sys.stderr)
        sys.exit(130)
