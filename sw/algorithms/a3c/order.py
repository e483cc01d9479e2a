"""The order in which agents were served: all that an asynchronous run needs to be done again with the same bits."""

from collections.abc import Iterator

import numpy as np

__all__ = ["ServiceOrder"]

# An entry has the agent's number in 8 bits, in the next 4 how many of its environments were lost before it, and a bit
# that ends a call.
LOST, LAST = 1 << 8, 1 << 12


class ServiceOrder:
    """Calls of a service: the agents that each answered, in the order of its answers.

    Parameters
    ----------
    entries
        What `array` gave, to go on from.
    """

    def __init__(self, entries: np.ndarray | None = None):
        self._blocks: list[np.ndarray] = [] if entries is None else [np.asarray(entries, np.int16)]
        self._entries: list[int] = []

    def add(self, agents: list[int], lost: dict[int, int]) -> None:
        """Record a call.

        Parameters
        ----------
        agents
            Agents that were answered; at least one.
        lost
            How many environments of which agent had been lost since its answer before.
        """
        self._entries += [agent + LOST * lost.get(agent, 0) for agent in agents]
        self._entries[-1] |= LAST

    def array(self) -> np.ndarray:
        """All calls as int16, two bytes an answer."""
        if self._entries:
            self._blocks.append(np.array(self._entries, np.int16))
            self._entries = []
        self._blocks = [np.concatenate([np.zeros(0, np.int16), *self._blocks])]
        return self._blocks[0]

    def calls(self) -> Iterator[list[tuple[int, int]]]:
        """Agents of each call, and how many of their environments had been lost."""
        call: list[tuple[int, int]] = []
        for entry in self.array().tolist():
            call.append((entry % LOST, entry % LAST // LOST))
            if entry & LAST:
                yield call
                call = []
