"""Stage train-epoch@N: one epoch of trajectory DPO. Argument: N."""

import sys

from reproof.flow.stage import run_stage
from reproof.flow.train import train

epoch = int(sys.argv[1])
run_stage(f"train-epoch@{epoch}", lambda root, params: train(root, epoch, params))
