"""Sizes of MAAC's networks. Pure data: no gateware, no PyTorch."""

from dataclasses import dataclass

import numpy as np

__all__ = ["MAACShape"]


@dataclass(frozen=True, kw_only=True)
class MAACShape:
    """Sizes of MAAC's networks. Agents that observe less, or have fewer actions, are padded to the largest.

    Parameters
    ----------
    sizes
        How many elements each agent observes.
    counts
        How many actions each agent has.
    hidden_size, heads
        As of :class:`.MAACConfig`.

    Raises
    ------
    ValueError
        Fewer than two agents: there is nobody to attend to; an agent without observation or action.
    """

    sizes: tuple[int, ...]
    counts: tuple[int, ...]
    hidden_size: int
    heads: int

    def __post_init__(self) -> None:
        if self.agents < 2:
            raise ValueError(f"MAAC must have at least 2 agents, whose critics attend to each other, not {self.agents}")
        if len(self.counts) != self.agents:
            raise ValueError(f"counts must be of the {self.agents} agents, not of {len(self.counts)}")
        for name, values in (("observe at least 1 element", self.sizes), ("have at least 1 action", self.counts)):
            if min(values) < 1:
                raise ValueError(f"Agents must {name}, not {min(values)}")
        if self.hidden_size % self.heads:
            raise ValueError(f"hidden_size must be a multiple of the {self.heads} heads, not {self.hidden_size}")

    @property
    def agents(self) -> int:
        """How many there are."""
        return len(self.sizes)

    @property
    def observation_size(self) -> int:
        """Elements of the longest observation."""
        return max(self.sizes)

    @property
    def actions(self) -> int:
        """Most actions of an agent."""
        return max(self.counts)

    @property
    def key_size(self) -> int:
        """Elements of a key, a query or a value of one head."""
        return self.hidden_size // self.heads

    @property
    def observed(self) -> np.ndarray:
        """Whether an agent observes an element: array (agents, observation_size) of bool."""
        return np.arange(self.observation_size) < np.array(self.sizes)[:, np.newaxis]

    @property
    def present(self) -> np.ndarray:
        """Whether an agent has an action: array (agents, actions) of bool."""
        return np.arange(self.actions) < np.array(self.counts)[:, np.newaxis]
