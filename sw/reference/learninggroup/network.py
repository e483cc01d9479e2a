"""IC3Net's products of a step forward, backward, and of the gradients: layer by layer, masked by groups."""

from collections.abc import Mapping

import numpy as np

from ....hw.soc.learninggroup.config import HEADS, Network
from ..arrays import ValueArray
from .arithmetic import Binary64
from .grouping import Grouping, aggregate, maximum_index

__all__ = ["NetworkReference"]


class NetworkReference:
    """The layers of a network with the weights and groups of an iteration.

    Parameters
    ----------
    network : Network
    cores : int
        C.
    arithmetic : Binary64
        One of ``ARITHMETICS``.

    Attributes
    ----------
    weights, biases : dict of array
        By name, in the arithmetic's format.
    groupings : dict of Grouping
    nonfinite : list of str
        Layers that met an infinity or a NaN, the first one first: in a grouping matrix, or as a product's or a
        gradient's sum.
    """

    def __init__(self, network: Network, cores: int, arithmetic: Binary64):
        self.network, self.cores, self.arithmetic = network, cores, arithmetic
        self.layers = network.layers
        self.nonfinite: list[str] = []
        self.weights: dict[str, ValueArray] = {}
        self.biases: dict[str, ValueArray] = {}
        self.groupings: dict[str, Grouping] = {}

    def group(self, parameters: Mapping[str, ValueArray]) -> None:
        """Takes weights and biases, and makes the groups anew [weight grouping]."""
        network = self.network
        for name, layer in self.layers.items():
            inputs, outputs = parameters[f"input_grouping/{name}"], parameters[f"output_grouping/{name}"]
            self.groupings[name] = Grouping(
                layer, maximum_index(inputs), maximum_index(outputs.T), network.groups, self.cores, network.hidden_size
            )
            self.weights[name] = self.arithmetic.numbers(parameters[f"weight/{name}"])
            if np.isnan(inputs).any() or np.isnan(outputs).any():
                self.flag(name)
        for name in network.biases:
            self.biases[name] = self.arithmetic.numbers(parameters[f"bias/{name}"])[:, np.newaxis, np.newaxis]

    def forward(self, name: str, x: ValueArray) -> ValueArray:
        """Words of a layer's columns, without bias."""
        return self._checked(name, self.groupings[name].forward(self.arithmetic, x, self.weights[name]))

    def partial_sums(self, name: str, d: ValueArray) -> list[ValueArray]:
        """Words of a layer's rows, of each core's own columns."""
        parts = self.groupings[name].partial_sums(self.arithmetic, d, self.weights[name])
        return [self._checked(name, part) for part in parts]

    def backward(self, name: str, d: ValueArray) -> ValueArray:
        """Words of a layer's rows: the cores' partial sums, added up."""
        return aggregate(self.arithmetic, self.partial_sums(name, d))

    def heads_backward(self, errors: Mapping[str, ValueArray]) -> ValueArray:
        """The same of all heads together, one head after the other."""
        return aggregate(self.arithmetic, [self.backward(head, errors[head]) for head in HEADS])

    def weight_gradient(self, name: str, x: ValueArray, d: ValueArray, dense: bool) -> ValueArray:
        """Gradient of a layer's weights over (K, rows, lanes) and (K, columns, lanes)."""
        return self._checked(name, self.groupings[name].weight_gradient(self.arithmetic, x, d, dense))

    def bias_gradient(self, name: str, d: ValueArray) -> ValueArray:
        """Gradient of a layer's biases: that of weights from a row of ones."""
        ones = np.ones((len(d), 1, d.shape[2]), self.arithmetic.dtype)
        labels = np.zeros(1, np.int64), np.zeros(d.shape[1], np.int64)
        return self._checked(name, self.arithmetic.outer_sums(ones, d, *labels))[0]

    def grouping_gradients(self, name: str, gradient: ValueArray) -> tuple[ValueArray, ValueArray]:
        """Gradients of a layer's grouping matrices."""
        inputs, outputs = self.groupings[name].grouping_gradients(self.arithmetic, gradient, self.weights[name])
        return self._checked(name, inputs), self._checked(name, outputs)

    def flag(self, name: str) -> None:
        """Notes that a layer met an infinity or a NaN."""
        if name not in self.nonfinite:
            self.nonfinite.append(name)

    def _checked(self, name: str, result: ValueArray) -> ValueArray:
        if not np.isfinite(result).all():
            self.flag(name)
        return result
