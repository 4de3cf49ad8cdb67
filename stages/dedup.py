"""Stage dedup: raw pairs to unique pairs."""

import sys
from pathlib import Path

from reproof.flow.dedup import dedup
from reproof.ground.errors import ReproofError
from reproof.ground.params import read_params

try:
    dedup(Path(), read_params())
except ReproofError as error:
    print(f"dedup: {error}", file=sys.stderr)
    sys.exit(2)
