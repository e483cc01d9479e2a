"""Environments that fail."""

from tests.sw.algorithms.counting import Counting

__all__ = ["FailsInReset", "FailsInStep"]


class FailsInStep(Counting):
    """Fails in step 4."""

    def step(self, action):
        return super().step(action // (self.taken != 3))


class FailsInReset(Counting):
    """Fails at the beginning of some episodes, which depends on their seeds."""

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed // (seed % 4 != 2))
