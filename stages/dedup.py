"""Stage dedup: raw pairs to unique pairs."""

from reproof.flow.dedup import dedup
from reproof.flow.stage import run_stage

run_stage("dedup", dedup)
