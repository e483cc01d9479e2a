"""Vectors of agents and episodes as the words that a device takes and gives.

The reference orders its sums by the same places, with functions of its own: what goes wrong here is seen in lockstep.
"""

import numpy as np

from ...reference.learninggroup.layout import Layout

__all__ = ["pack_vectors", "unpack_vectors"]


def pack_vectors(layout: Layout, values: np.ndarray) -> np.ndarray:
    """(episodes, agents, features) to words (features, batches, word), zeros elsewhere."""
    features = values.shape[2]
    words = np.zeros((layout.batches * layout.word, features), values.dtype)
    words[layout.places.ravel()] = values.reshape(-1, features)
    return words.T.reshape(features, layout.batches, layout.word)


def unpack_vectors(layout: Layout, words: np.ndarray) -> np.ndarray:
    """Words of one feature (batches, word) to (episodes, agents)."""
    return words.reshape(-1)[layout.places]
