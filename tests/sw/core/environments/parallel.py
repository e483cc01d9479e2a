"""PettingZoo environments for tests: small, exact, and with every way to end."""

import gymnasium
import numpy as np
from pettingzoo import ParallelEnv

__all__ = ["Broken", "Staggered", "Unlike", "broken", "staggered"]


class Staggered(ParallelEnv):
    """Agents whose number says in which step they end: those of even numbers terminate, the others are truncated.

    Agent a observes its number, the step and a number drawn from the seed, and gets ``step + action / 8``.
    Actions are counted from 2.
    """

    metadata = {"name": "staggered_v0", "is_parallelizable": True}
    render_mode = None

    def __init__(self, lengths=(2, 4, 3), actions=4, max_cycles=5):
        self.lengths, self.max_cycles = lengths, max_cycles
        self.possible_agents = [f"agent_{number}" for number in range(len(lengths))]
        self.agents = []
        self.observation_spaces = {
            agent: gymnasium.spaces.Box(-9, 9, (3,), np.float64) for agent in self.possible_agents
        }
        self.action_spaces = {agent: gymnasium.spaces.Discrete(actions, start=2) for agent in self.possible_agents}
        self.closed = False

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        self.drawn = np.random.default_rng(seed).random()
        self.time, self.agents = 0, list(self.possible_agents)
        return self._observations(self.agents), {agent: {} for agent in self.agents}

    def step(self, actions):
        assert set(actions) == set(self.agents), f"{set(actions)} act, not {set(self.agents)}"
        assert all(self.action_space(agent).contains(action) for agent, action in actions.items())
        self.time += 1
        acting = list(self.agents)
        ended = [agent for agent in acting if self.lengths[int(agent[6:])] == self.time]
        even = {agent: int(agent[6:]) % 2 == 0 for agent in acting}
        self.agents = [agent for agent in acting if agent not in ended]
        return (
            self._observations(acting),
            {agent: self.time + actions[agent] / 8 for agent in acting},
            {agent: agent in ended and even[agent] for agent in acting},
            {agent: agent in ended and not even[agent] for agent in acting},
            {agent: {} for agent in acting},
        )

    def _observations(self, agents):
        return {agent: np.array([int(agent[6:]), self.time, self.drawn]) for agent in agents}

    def close(self):
        self.closed = True


class Unlike(Staggered):
    """Agents of which the last has a space of another kind."""

    def __init__(self, *, action=None, observation=None):
        super().__init__()
        self.action_spaces["agent_2"] = action or self.action_spaces["agent_2"]
        self.observation_spaces["agent_2"] = observation or self.observation_spaces["agent_2"]


class Broken(Staggered):
    """Does something wrong in a step; with ``once``, in the first episode of all that comes so far alone."""

    failed = False

    def __init__(self, wrong, at=2, once=False):
        super().__init__()
        self.wrong, self.at, self.once = wrong, at, once

    def reset(self, seed=None, options=None):
        result = super().reset(seed)
        return self._spoil(result) if self.at == 0 else result

    def step(self, actions):
        result = super().step(actions)
        return self._spoil(result) if self.time == self.at and not (self.once and Broken.failed) else result

    def _spoil(self, result):
        Broken.failed = True
        return self.wrong(self, result)


def _raise(environment, result):
    raise RuntimeError("out of fuel")


def staggered():
    return Staggered()


def broken():
    return Broken(_raise, at=1)
