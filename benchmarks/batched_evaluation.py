"""Evaluation of many episodes at once against one at a time, with the same result.

python benchmarks/batched_evaluation.py [TASKS]
"""

import sys
import time
from pathlib import Path

from reproof.engine.rollout import Trajectory, rollout
from reproof.engine.vlm import Sampling, VlmPolicy, load_model, load_processor
from reproof.ground import pins
from reproof.ground.params import read_params
from reproof.tiny.tasks import Task, make_tasks
from reproof.tiny.world import PhoneWorld

ROOT = Path(__file__).resolve().parent.parent


def timed(policy: VlmPolicy, tasks: list[Task], batch: int) -> tuple[float, list[Trajectory]]:
    """CPU seconds and trajectories of all tasks."""
    began = time.process_time()
    played = list(rollout(policy, PhoneWorld, tasks, batch))
    return time.process_time() - began, played


def main(count: int) -> None:
    """Print both times, the ratio, and whether the episodes are the same."""
    settings = read_params(ROOT / "params.yaml").evaluate
    init = ROOT / "models/init"
    sampling = Sampling(0.0, settings.max_new_tokens, 0)
    policy = VlmPolicy(load_model(init), load_processor(init), sampling)
    tasks = make_tasks("dev", count, 1)
    timed(policy, tasks[:2], 2)
    alone, one_by_one = timed(policy, tasks, 1)
    together, batched = timed(policy, tasks, settings.batch_size)
    same = [[s.response for s in t.steps] for t in one_by_one] == [
        [s.response for s in t.steps] for t in batched
    ]
    print(f"one episode at a time      {alone:7.1f} CPU s for {count} tasks")
    print(f"{settings.batch_size} episodes at a time    {together:7.1f} CPU s")
    print(f"ratio                      {alone / together:7.1f} ×")
    print(f"same answers               {'yes' if same else 'NO'}")


if __name__ == "__main__":
    pins.enter("tiny")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 128)
