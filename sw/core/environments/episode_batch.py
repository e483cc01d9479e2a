"""The interface of environments with several agents for IC3Net."""

from typing import Any, Protocol, runtime_checkable

import numpy as np

__all__ = ["EpisodeBatch"]


@runtime_checkable
class EpisodeBatch(Protocol):
    """Episodes side by side that all begin at once, with the same number of agents in each.

    An episode that has ended stands still until the others have, or until ``steps`` cut them off. The same holds for
    an agent that has ended in an episode that goes on. Whoever stands still has no reward, its action has no effect,
    and what it observes, any finite numbers, teaches nobody.

    Members
    -------
    name : str or None
        Name by which the environment can be made again; ``None``: there is no name.
    task : dict
        What a checkpoint holds of it beside the name; plain data.
    episodes, agents : int
        How many there are, and how many agents in each.
    observation_size, actions : int
        Elements of an agent's observation, and how many actions it chooses from.
    steps : int
        Time steps after which episodes are cut off.
    """

    name: str | None
    task: dict[str, Any]
    episodes: int
    agents: int
    observation_size: int
    actions: int
    steps: int

    @property
    def alive(self) -> np.ndarray:
        """Whether an agent acts in the step to come: array (episodes, agents) of bool."""
        ...

    def reset(self, generator: np.random.Generator) -> np.ndarray:
        """Begin all episodes, a function of what the generator draws: observations.

        Returns
        -------
        array (episodes, agents, observation_size) of float32

        Raises
        ------
        EnvironmentFailure
            The environment did.
        """
        ...

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Take actions, episodes x agents: observations as of `reset`, rewards (episodes x agents, float64).

        Raises
        ------
        EnvironmentFailure
            The environment did.
        """
        ...

    def outcome(self) -> dict[str, float]:
        """Figures of the episodes beside their rewards, by the names of a record; after the last step."""
        ...

    def close(self) -> None:
        """Let go of the environments."""
        ...
