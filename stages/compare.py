"""Stage compare: the models side by side."""

from reproof.flow.compare import compare
from reproof.flow.stage import run_stage

run_stage("compare", lambda root, params: compare(root, params.compare))
