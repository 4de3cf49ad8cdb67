"""Stage compare: the models side by side."""

import sys
from pathlib import Path

from reproof.flow.compare import compare
from reproof.ground.errors import ReproofError
from reproof.ground.params import read_params

try:
    compare(Path(), read_params().compare)
except ReproofError as error:
    print(f"compare: {error}", file=sys.stderr)
    sys.exit(2)
