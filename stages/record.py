"""Stage record: what went in, what surrounded it, what came out."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from reproof.flow.record import record
from reproof.ground.errors import ReproofError

try:
    record(Path(), datetime.now(UTC))
except ReproofError as error:
    print(f"record: {error}", file=sys.stderr)
    sys.exit(2)
