"""Environments whose steps tell where they are from."""

import os
import signal

import gymnasium
import numpy as np

__all__ = ["Counting", "Growing", "Poisoned", "Slow", "Suicidal"]


class Counting(gymnasium.Env):
    """Observes the episode's own number and the step in it; rewards the step; ends after 5 to 12 steps."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,))
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episode, self.length, self.taken = int(self.np_random.integers(1 << 20)), int(seed % 8) + 5, 0
        return self.observe(), {}

    def observe(self):
        return np.array([self.episode, self.taken], np.float32)

    def step(self, action):
        self.taken += 1
        return self.observe(), float(self.taken), self.taken == self.length, False, {}


class Poisoned(Counting):
    """Rewards something that is no number in step 4."""

    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, np.nan if self.taken == 4 else reward, *rest


class Growing(Counting):
    """Observes more in step 4 than it said it would."""

    def step(self, action):
        observation, *rest = super().step(action)
        return np.zeros(9) if self.taken == 4 else observation, *rest


class Suicidal(Counting):
    """Kills its process in its first step."""

    def step(self, action):
        os.kill(os.getpid(), signal.SIGKILL)


class Slow(Counting):
    """Stops in its first step, as a process that is suspended."""

    def step(self, action):
        os.kill(os.getpid(), signal.SIGSTOP)
