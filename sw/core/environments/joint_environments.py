"""PettingZoo's parallel environments as episodes side by side, whose agents may differ, and how they ended."""

from collections.abc import Callable
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from .parallel_environments import ParallelEnvironments, spaces_of

__all__ = ["JointEnvironments"]


class JointEnvironments(ParallelEnvironments):
    """Like :class:`.ParallelEnvironments`, for agents of different observations and actions that learn from replay.

    Observations are padded with zeros to the longest, and an agent has the first of ``actions`` actions alone. The
    observation after a step is told as an experience needs it: it makes a difference whether an agent was terminated,
    or truncated and observed something that it could have gone on from.

    Parameters
    ----------
    make, episodes, steps, name
        As of :class:`.ParallelEnvironments`.

    Members
    -------
    sizes, counts
        How many elements each agent observes, and how many actions it has.
    present
        Whether an agent has an action: array (agents, actions) of bool.
    last_observations
        Observations of the agents at the ends of episodes that were truncated in the last step, episodes x agents x
        elements; zeros for the others.
    finished
        Whether nothing follows for an agent after the last step: it was terminated then, or had ended before; array
        (episodes, agents) of bool. An agent that was truncated is finished from the step after on.

    Raises
    ------
    TypeError, ValueError
        As of :class:`.ParallelEnvironments`, but for agents that differ.
    """

    def __init__(
        self, make: Callable[[], ParallelEnv], episodes: int, *, steps: int | None = None, name: str | None = None
    ):
        super().__init__(make, episodes, steps=steps, name=name)
        self.sizes, self.counts = tuple(self._sizes), tuple(self._counts)
        self.present = np.arange(self.actions) < np.array(self.counts)[:, np.newaxis]
        self.task |= {"sizes": list(self.sizes), "counts": list(self.counts)}
        self.last_observations = np.zeros((episodes, self.agents, self.observation_size), np.float32)
        self.finished = np.zeros((episodes, self.agents), bool)

    @staticmethod
    def _spaces(environment: ParallelEnv) -> list[tuple[int, int, int]]:
        return spaces_of(environment)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Take a step as in :class:`.ParallelEnvironments`; each agent's action must be one that it has.

        Raises
        ------
        ValueError
            An agent that acts does not have the action.
        EnvironmentFailure
            The environment failed.
        """
        wrong = self.alive & ~((actions >= 0) & (actions < np.array(self.counts)))
        if wrong.any():
            episode, agent = np.argwhere(wrong)[0].tolist()
            raise ValueError(
                f"Action of agent {self._names[agent]} must be between 0 and {self.counts[agent] - 1}, "
                f"not {actions[episode, agent]}"
            )
        self.finished = ~self.alive
        self.last_observations = np.zeros_like(self.last_observations)
        return super().step(actions)

    def _see_ends(self, episode: int, acting: list[int], found: Any, terminated: Any, ended: set[str]) -> None:
        for agent in acting:
            name = self._names[agent]
            if name in ended and not terminated.get(name) and name in found:
                self.last_observations[episode, agent, : self._sizes[agent]] = self._observation(agent, found)
            # An episode without a known end has nothing to go on from.
            elif not self.alive[episode, agent]:
                self.finished[episode, agent] = True
