"""SAC of RLtools, C++ that is compiled for the environment's sizes: ``python -m ...rltools_sac`` prints its speed."""

import json
import subprocess
import sys
import time
from typing import Any

import gymnasium
import numpy as np

from ....core.environments.make_environment import make_environment
from ....measurement.bench import comparison_library, say
from .runtime import Comparison

__all__ = ["rltools_speed"]

# Gradient steps before those that are measured, and of those: without MKL each takes a tenth of a second.
WARM_UP, STEPS = 4, 32
LIMIT_SECONDS = 600


def rltools_speed(comparison: Comparison) -> float:
    """Experiences a second, each with a gradient step, in a process of its own: RLtools writes to the standard output.

    Raises
    ------
    ValueError
        RLtools is missing.
    RuntimeError
        It does not run; its own words.
    """
    comparison_library("rltools")
    say("RLtools: compiled once, then measured")
    given = json.dumps({"environment": comparison.environment, "config": comparison.config.to_mapping()})
    run = subprocess.run([sys.executable, "-m", __name__, given], capture_output=True, text=True, timeout=LIMIT_SECONDS)
    if run.returncode != 0:
        raise RuntimeError(f"RLtools ended with exit status {run.returncode}: {run.stderr[-2000:]}")
    return float(run.stdout.split()[-1])


def _measure(environment: str, config: dict[str, Any]) -> float:
    library = comparison_library("rltools")

    def make() -> gymnasium.Env:
        made = gymnasium.wrappers.RescaleAction(make_environment(environment), np.float32(-1), np.float32(1))
        made.reset(seed=config["seed"])
        return made

    (hidden,) = set(config["hidden_sizes"])
    model = library.SAC(
        make,
        enable_evaluation=False,
        interface_name="rewardware",
        GAMMA=config["gamma"],
        ACTOR_BATCH_SIZE=config["batch_size"],
        CRITIC_BATCH_SIZE=config["batch_size"],
        ACTOR_POLYAK=1 - config["tau"],
        CRITIC_POLYAK=1 - config["tau"],
        N_WARMUP_STEPS=config["batch_size"],
        STEP_LIMIT=1 << 17,
        ACTOR_HIDDEN_DIM=hidden,
        ACTOR_NUM_LAYERS=len(config["hidden_sizes"]) + 1,
        CRITIC_HIDDEN_DIM=hidden,
        CRITIC_NUM_LAYERS=len(config["hidden_sizes"]) + 1,
        ALPHA=config["temperature"],
        OPTIMIZER_ALPHA=config["learning_rate"],
    )
    state = model.State(config["seed"])
    # Until there is a batch, nothing is learned.
    for _ in range(config["batch_size"] + WARM_UP):
        state.step()
    start = time.perf_counter()
    for _ in range(STEPS):
        state.step()
    return STEPS / (time.perf_counter() - start)


if __name__ == "__main__":
    print(_measure(**json.loads(sys.argv[1])))
