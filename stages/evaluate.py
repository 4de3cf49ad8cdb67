"""Stage evaluate@MODEL: all tasks, one protocol. Argument: MODEL."""

import sys

from reproof.flow.evaluate import evaluate
from reproof.flow.stage import run_stage

model = sys.argv[1]
run_stage(f"evaluate@{model}", lambda root, params: evaluate(root, model, params))
