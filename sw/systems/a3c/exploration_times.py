"""Times of engines and environments, for the simulation of explorations."""

import time

import numpy as np

from ....hw.cores.a3c.config import A3CConfig
from ....hw.cores.a3c.cycles import backward_cycles, forward_cycles, gradient_cycles
from ...core.environments.byte_environment import ByteEnvironment

__all__ = ["MHZ", "RandomSteps", "engine_seconds"]

MHZ = 200.0


def engine_seconds(steps: int) -> dict[str, float]:
    """t_f and t_b, by the names of :class:`.ExplorationTimes`, for the paper's network and rollouts of ``steps``.

    At ratio 1 an engine has a word of multipliers, whichever kind it is: one that trains goes back, and then forms
    gradients.
    """
    config = A3CConfig(gradient_engines=1)
    cycles = {
        "forward": forward_cycles(config),
        "backward": backward_cycles(config, steps) + gradient_cycles(config, steps),
    }
    return {name: count / (1e6 * MHZ) for name, count in cycles.items()}


class RandomSteps:
    """Random actions in an environment, timed one by one; beginnings of episodes belong to the steps before them.

    Parameters
    ----------
    env
        Identifier of an environment with numbered actions.
    seed
        Seed of the environment and the actions.

    Members
    -------
    beginnings : float
        Seconds of all steps so far that went into beginnings of episodes.
    """

    def __init__(self, env: str, seed: int = 0):
        self._environment, self._generator = ByteEnvironment(env, seed), np.random.default_rng(seed)
        self.beginnings = 0.0

    def step(self) -> float:
        """Seconds that one step took."""
        action, begun = self._environment.random_action(self._generator), time.perf_counter()
        _, _, terminated, truncated = self._environment.step(action)
        if terminated or truncated:
            ended = time.perf_counter()
            self._environment.begin()
            self.beginnings += time.perf_counter() - ended
        return time.perf_counter() - begun

    def close(self) -> None:
        """Give the environment back."""
        self._environment.env.close()
