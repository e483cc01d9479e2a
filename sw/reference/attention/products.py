"""Products of each agent's vector with the vectors of all other agents, on values (:mod:`..float.host`)."""

import numpy as np

from ....hw.cores.attention.config import OthersProductConfig
from ..arrays import ValueArray
from ..float.host import multiply
from ..layer.stages import sum_rows

__all__ = ["others", "product"]


def others(vectors: ValueArray) -> ValueArray:
    """The rows of all other agents, in order, for each agent: ``(batch, agents, ...)`` becomes
    ``(batch, agents, agents - 1, ...)``.

    >>> others(np.array([[10, 20, 30]]))[0].tolist()
    [[20, 30], [10, 30], [10, 20]]
    """
    agents = vectors.shape[1]
    return np.stack([np.delete(vectors, agent, axis=1) for agent in range(agents)], axis=1)


def product(config: OthersProductConfig, inputs: ValueArray, vectors: ValueArray) -> ValueArray:
    """Scores or sums of inputs ``(batch, agents, heads, inputs)``.

    Row i of an agent's weights, times its input i, is a product of row i of :attr:`.OthersProductConfig.layer`; they
    are added as that layer's are.

    Parameters
    ----------
    config : OthersProductConfig
    inputs : array (batch, agents, heads, size) of scores, (batch, agents, heads, agents - 1) of sums
    vectors : array (batch, agents, heads, size)
    """
    number_format, layer = config.arithmetic.format, config.layer
    # (batch, agents, others, heads, size), then rows first, and what is computed of each last.
    weights = np.moveaxis(others(vectors), 2, 3)
    weights = np.moveaxis(weights, -1 if config.product == "scores" else -2, 0)
    products = (multiply(number_format, inputs[..., row, None], weights[row]) for row in range(layer.rows))
    return sum_rows(layer, products)
