"""Run one stage of the pipeline: pinned, guarded, with checked params, errors as one line."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from reproof.flow.guard import guarded
from reproof.ground import pins
from reproof.ground.errors import ReproofError
from reproof.ground.params import Params, read_params


def run_stage(name: str, body: Callable[[Path, Params], object]) -> NoReturn:
    """Call `body` with the project's root and its params; exit with 2 on an error.

    The process starts again with pinned CPU settings before anything heavy is imported, and the
    guard watches the body in the pinned process.
    """
    code = _run(name, body)
    sys.stdout.flush()
    sys.stderr.flush()
    # All is written. Arrow's threads may abort a process that is torn down (apache/arrow#34314).
    os._exit(code)


def _run(name: str, body: Callable[[Path, Params], object]) -> int:
    try:
        params = read_params()
        pins.enter(params.scale)
        with guarded(Path(), name):
            body(Path(), params)
    except ReproofError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{name}: interrupted; nothing half done is kept, run it again", file=sys.stderr)
        return 130
    return 0
