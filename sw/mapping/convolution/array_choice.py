"""The systolic array for a network: rows and columns under a budget of multipliers."""

from dataclasses import dataclass

import numpy as np

from ....hw.cores.checks import require_integer
from ...networks.convolution.convolutional_network import ConvolutionalNetwork
from .cost_graph import cost_graph
from .cost_model import Array, CostModel
from .cost_model_config import CostModelConfig

__all__ = ["ArrayChoice", "choose_array", "largest_arrays"]


@dataclass(frozen=True, kw_only=True)
class ArrayChoice:
    """Arrays that are best in two ways.

    Parameters
    ----------
    by_algorithms : (rows, columns)
        The least sum of what all algorithms cost over all layers, as the source chooses.
    by_latency : (rows, columns)
        The least latency of the network with the algorithms mapped for each array.
    """

    by_algorithms: Array
    by_latency: Array


def largest_arrays(multipliers: int) -> list[Array]:
    """All arrays of at most so many multipliers that could have neither a row nor a column more."""
    require_integer("Multipliers", multipliers, 1)
    # The most rows for each number of columns.
    columns: dict[int, int] = {}
    for rows in range(1, multipliers + 1):
        columns[multipliers // rows] = rows
    return [(rows, wide) for wide, rows in columns.items()]


def choose_array(network: ConvolutionalNetwork, multipliers: int, config: CostModelConfig | None = None) -> ArrayChoice:
    """The best arrays under a budget.

    All of :func:`largest_arrays` are compared. A smaller one takes as many passes at least.

    Parameters
    ----------
    network : ConvolutionalNetwork
    multipliers : int
        Most of them.
    config : CostModelConfig, or None
        All but rows and columns.

    Raises
    ------
    ValueError
        No multiplier, or the cost graph is not series-parallel.

    Source
    ------
    DYNAMAP, section 3.1.4, hardware customisation.
    """
    arrays = largest_arrays(multipliers)
    model = CostModel(config or CostModelConfig(rows=1, columns=1), arrays)
    graph = cost_graph(network, model)
    by_algorithms, by_latency = int(np.argmin(graph.all_algorithms)), int(np.argmin(graph.solve().cost))
    return ArrayChoice(by_algorithms=arrays[by_algorithms], by_latency=arrays[by_latency])
