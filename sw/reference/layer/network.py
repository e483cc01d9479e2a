"""A network in training, as the hardware computes it."""

from collections.abc import Sequence
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.layer.config import NetworkConfig
from ..arrays import ValueArray
from ..float.conversion import from_numbers
from ..float.host import from_bits, to_bits
from ..optimizer.float_adam import AdamRates, float_adam
from ..optimizer.sgd import sgd
from .stages import backward, differentiate, forward, gradient

__all__ = ["NetworkReference", "propagate", "rounded"]


class NetworkReference:
    """Weights of a network, and what the optimiser keeps for each.

    Parameters
    ----------
    config : NetworkConfig
    optimizer : str
        ``"adam"`` or ``"sgd"``.
    weights : sequence of array (inputs + 1, outputs)
        Real numbers for each layer, the bias as the last row.

    Attributes
    ----------
    weights : list of array
        Values of the format.
    first, second : list of array
        Adam's moments, as bit patterns.

    Raises
    ------
    ValueError
        Weights of another shape.
    """

    def __init__(self, config: NetworkConfig, optimizer: str, weights: Sequence[ArrayLike]):
        self.config, self.optimizer = config, optimizer
        shapes = [(layer.rows, layer.outputs) for layer in config.layers]
        given = [np.shape(matrix) for matrix in weights]
        if given != shapes:
            raise ValueError(f"Weights must have the shapes {shapes}, not {given}")
        self.weights = [rounded(config, matrix) for matrix in weights]
        self.first = [np.zeros(shape, np.int64) for shape in shapes]
        self.second = [np.zeros(shape, np.int64) for shape in shapes]

    @overload
    def backward(
        self, activations: Sequence[ValueArray], errors: ValueArray, *, to_inputs: Literal[False] = False
    ) -> tuple[list[ValueArray], None]: ...

    @overload
    def backward(
        self, activations: Sequence[ValueArray], errors: ValueArray, *, to_inputs: Literal[True]
    ) -> tuple[list[ValueArray], ValueArray]: ...

    def backward(
        self, activations: Sequence[ValueArray], errors: ValueArray, *, to_inputs: bool = False
    ) -> tuple[list[ValueArray], ValueArray | None]:
        """``(gradients, errors at the inputs)`` of errors at the outputs; the latter None unless they are wanted.

        Parameters
        ----------
        activations : list of array
            Activations of :func:`propagate`.
        errors : array (batch, outputs)
            Derivatives of the loss.
        to_inputs : bool
            Also go back through the first layer.
        """
        layers = self.config.layers
        gradients: list[ValueArray] = []
        for index in reversed(range(len(layers))):
            errors = differentiate(layers[index], activations[index + 1], errors)
            gradients.insert(0, gradient(layers[index], activations[index], errors))
            if index or to_inputs:
                errors = backward(layers[index], self.weights[index], errors)
        return gradients, errors if to_inputs else None

    def update(self, gradients: Sequence[ValueArray], rates: AdamRates[float] | float) -> None:
        """A step of the optimiser.

        Parameters
        ----------
        gradients : list of array
            Like the weights.
        rates : AdamRates or float
            Real numbers: those of this step for Adam, the learning rate for SGD.

        Raises
        ------
        TypeError
            Rates of the other optimiser.
        """
        number_format = self.config.arithmetic.format
        if isinstance(rates, AdamRates) != (self.optimizer == "adam"):
            raise TypeError(f"Rates must be those of {self.optimizer}, not {rates!r}")
        rounded_rates = (
            rates.rounded(number_format) if isinstance(rates, AdamRates) else from_numbers(number_format, rates)
        )
        updated = []
        for index, (matrix, slope) in enumerate(zip(self.weights, gradients, strict=True)):
            bits, slope_bits = to_bits(number_format, matrix), to_bits(number_format, slope)
            if isinstance(rounded_rates, AdamRates):
                bits, self.first[index], self.second[index] = float_adam(
                    number_format, bits, self.first[index], self.second[index], slope_bits, rounded_rates
                )
            else:
                bits = sgd(number_format, bits, slope_bits, rounded_rates)
            updated.append(from_bits(number_format, bits))
        self.weights = updated


def propagate(config: NetworkConfig, weights: Sequence[ValueArray], x: ValueArray) -> list[ValueArray]:
    """Inputs of a network, then outputs of layer after layer."""
    activations = [x]
    for layer, matrix in zip(config.layers, weights, strict=True):
        activations.append(forward(layer, matrix, activations[-1]))
    return activations


def rounded(config: NetworkConfig, numbers: ArrayLike) -> ValueArray:
    """Values nearest to real numbers."""
    number_format = config.arithmetic.format
    return from_bits(number_format, from_numbers(number_format, numbers))
