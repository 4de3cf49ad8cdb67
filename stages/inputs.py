"""Stage inputs (frozen): the models and raw pairs that everything starts from."""

from reproof.flow.inputs import inputs
from reproof.flow.stage import run_stage

run_stage("inputs", lambda root, params: inputs(root))
