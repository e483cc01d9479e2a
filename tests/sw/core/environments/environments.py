"""Environments for tests: small, exact, and with every way to end an episode."""

import gymnasium
import numpy as np

__all__ = ["Drift", "Forgetful"]


class Drift(gymnasium.Env):
    """A point that drifts; terminates out of bounds, and adds the action to its place."""

    observation_space = gymnasium.spaces.Box(-10, 10, (2,), np.float32)
    action_space = gymnasium.spaces.Box(np.array([-3, 1], np.float32), np.array([3, 5], np.float32))

    def __init__(self, length: int = 7):
        self.length = length

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2).astype(np.float32)
        self.steps = 0
        return self.place.copy(), {}

    def step(self, action):
        self.place += 0.1 * action + self.np_random.normal(0, 0.01, 2).astype(np.float32)
        self.steps += 1
        terminated = bool(np.abs(self.place).max() > 3)
        return self.place.copy(), float(-np.abs(self.place).sum()), terminated, self.steps >= self.length, {}


class Forgetful(Drift):
    """Counts over all episodes: not a function of seed and actions."""

    total = 0

    def step(self, action):
        type(self).total += 1
        result = super().step(action)
        return result[0] + type(self).total, *result[1:]
