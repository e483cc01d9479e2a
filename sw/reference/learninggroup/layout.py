"""Lanes and words of vectors: episodes and agents to batches, blocks and lanes."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ....hw.soc.learninggroup.config import LearningGroupConfig
from ..arrays import ValueArray

__all__ = ["Layout"]

Scalar = TypeVar("Scalar", bound=np.generic)


class Layout:
    """Places of agents x episodes in the words of a memory.

    Episodes are dealt to as few batches as hold them, as evenly as possible, the first ones fuller. In a batch of E
    episodes, E' the power of two from E on, vector (agent j, episode e) is lane ``(j mod (4 K / E')) * E' + e`` of
    block ``j div (4 K / E')``. All batches use the E' and the blocks (1, 2 or 4) of the first.

    Parameters
    ----------
    config : LearningGroupConfig
    agents, episodes : int

    Attributes
    ----------
    batches, blocks, lanes : int
        Words of an iteration, blocks in use of each, lanes of a block.
    spread : int
        E'.
    places : array of int (episodes, agents)
        Where each vector is among a feature's words, one after the other.
    present : array of bool (batches, blocks * lanes)
        Lanes that are a vector.

    Raises
    ------
    ValueError
        More vectors than the configuration's batches hold.
    """

    def __init__(self, config: LearningGroupConfig, agents: int, episodes: int):
        self.agents, self.episodes, self.lanes = agents, episodes, config.lanes
        for batches in range(1, config.batches + 1):
            size = -(-episodes // batches)
            spread = 1 << (size - 1).bit_length()
            if spread > self.lanes:
                continue
            blocks = -(-agents // (self.lanes // spread))
            if blocks <= config.blocks:
                break
        else:
            raise ValueError(
                f"{agents} agents x {episodes} episodes need more than the {config.batches} batches of "
                f"{config.vectors} vectors in configuration {config.name}"
            )
        self.batches, self.spread = batches, spread
        self.blocks = 1 << (blocks - 1).bit_length()
        parts = np.array_split(np.arange(episodes), batches)
        batch = np.repeat(np.arange(batches), [len(part) for part in parts])
        within = np.concatenate([part - part[0] for part in parts])
        agent = np.arange(agents)[np.newaxis]
        block, rank = np.divmod(agent, self.lanes // spread)
        lane = block * self.lanes + rank * spread + within[:, np.newaxis]
        # Places of vectors (episode, agent), in the flat order of a feature's words.
        self.places = batch[:, np.newaxis] * self.word + lane
        present = np.zeros(batches * self.word, bool)
        present[self.places] = True
        self.present = present.reshape(batches, self.word)

    @property
    def word(self) -> int:
        """Vectors of a word, in the blocks in use."""
        return self.blocks * self.lanes

    def pack(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """(episodes, agents, features) to words (features, batches, word), zeros elsewhere."""
        values = np.asarray(values)
        words = np.zeros((values.shape[2], self.batches * self.word), values.dtype)
        words[:, self.places] = np.moveaxis(values, 2, 0)
        return words.reshape(len(words), self.batches, self.word)

    def unpack(self, words: NDArray[Scalar]) -> NDArray[Scalar]:
        """Words (features, batches, word) to (episodes, agents, features)."""
        return np.moveaxis(words.reshape(len(words), -1)[:, self.places], 0, 2)

    def totals(self, words: ValueArray, add: Callable[[ValueArray, ValueArray], ValueArray]) -> ValueArray:
        """Sums over the agents of each episode, in every lane of it: blocks in order, then lanes in a butterfly.

        Parameters
        ----------
        words : array (..., batches, word)
        add : function
            Addition of two arrays.
        """
        blocks = words.reshape(*words.shape[:-1], self.blocks, self.lanes)
        total = blocks[..., 0, :]
        for index in range(1, self.blocks):
            total = add(total, blocks[..., index, :])
        distance = self.spread
        while distance < self.lanes:
            total = add(total, total[..., np.arange(self.lanes) ^ distance])
            distance *= 2
        return np.broadcast_to(total[..., np.newaxis, :], blocks.shape).reshape(words.shape)
