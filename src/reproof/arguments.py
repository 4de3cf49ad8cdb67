"""Arguments of the command line: text to value, refused with the rule it breaks."""

import argparse
from pathlib import Path


def control(text: str) -> tuple[float, int]:
    """MEAN/SUCCESS of a wrong answer, as in 0.3656/67."""
    mean, _, success = text.partition("/")
    try:
        wrong = float(mean), int(success)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{text!r}: write MEAN/SUCCESS, as in 0.3656/67"
        ) from error
    if not 0 <= wrong[0] <= 1 or wrong[1] < 0:
        raise argparse.ArgumentTypeError(f"{text!r}: MEAN lies in [0, 1], SUCCESS is 0 or more")
    return wrong


def folder(text: str) -> Path:
    """A folder that is there: a mistyped one must not be made."""
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: is no folder; check the path")
    return path
