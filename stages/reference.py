"""Stage reference: the log-probs of all pairs under the reference model."""

from reproof.flow.reference import reference
from reproof.flow.stage import run_stage

run_stage("reference", reference)
