"""Stage record: what went in, what surrounded it, what came out; copied to MLflow."""

from datetime import UTC, datetime

from reproof.flow.stage import run_stage
from reproof.flow.track import record_and_track

run_stage("record", lambda root, params: record_and_track(root, datetime.now(UTC)))
