"""Agents' environments in this process: one after the other, the same order each time."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np

from ..core.environments.environment import Environment
from .agent_environment import AgentEnvironment, Arrival, EnvironmentState
from .environments_state import EnvironmentsState

__all__ = ["InProcessEnvironments"]


class InProcessEnvironments:
    """:class:`.AgentEnvironments` of this process, which steps when arrivals are fetched, in the order of questions.

    Parameters
    ----------
    environment
        Identifier of a registered environment, or a function that makes one.
    kind
        Which actions it takes.
    agents
        How many.
    seed
        Seed of everything random.

    Members
    -------
    restarts
        Environments that were lost.
    """

    def __init__(self, environment: str | Callable[[], gymnasium.Env], kind: type[Environment], agents: int, seed: int):
        self._make = lambda agent, life: AgentEnvironment(environment, kind, agent, seed, life)
        self._lives = [0] * agents
        self._environments = [self._make(agent, 0) for agent in range(agents)]
        # Requests to agents' environments, by agent, in their order. None: to begin an episode.
        self._asked: dict[int, int | None] = {}
        self._held: list[Arrival] = []
        self.restarts = 0

    def begin(self, agent: int) -> None:
        """Ask for the next episode."""
        self._asked[agent] = None

    def step(self, agent: int, action: int) -> None:
        """Ask for a step."""
        self._asked[agent] = action

    def arrivals(self, wait: bool = True, of: Sequence[int] | None = None) -> list[Arrival]:
        """Everything that was asked for, done now; of some agents alone, in that order, if they are given."""
        for agent in list(self._asked) if of is None else [agent for agent in of if agent in self._asked]:
            arrival = self._environments[agent].do(self._asked[agent])
            del self._asked[agent]
            self._held.append(arrival)
        found, self._held = self._held, []
        return found

    def lose(self, agent: int, times: int = 1) -> None:
        """Put another environment in the place of an agent's, as if its process had ended so often; an episode begins.

        The arrival says so.
        """
        self._environments[agent].close()
        self._lives[agent] += times
        self.restarts += times
        self._environments[agent] = self._make(agent, self._lives[agent])
        self._asked.pop(agent, None)
        self._held.append(dataclasses.replace(self._environments[agent].do(None), lost=times))

    def state(self) -> EnvironmentState:
        """Episodes, arrivals that nobody has fetched, and what was asked for."""
        states = [environment.state() for environment in self._environments]
        return EnvironmentsState(states, self._lives, self._held, self._asked, self.restarts).pack()

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Take back what `state` gave."""
        found = EnvironmentsState.unpack(arrays, rest, len(self._environments))
        self._lives, self._held, self._asked, self.restarts = found[1:]
        for environment, state in zip(self._environments, found.environments, strict=True):
            environment.restore(*state)

    def close(self) -> None:
        """Let go of them."""
        for environment in self._environments:
            environment.close()
