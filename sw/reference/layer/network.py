"""A network in training, as the hardware computes it."""

import numpy as np

from ....hw.cores.layer.config import NetworkConfig
from ..float.conversion import from_numbers
from ..float.host import from_bits, to_bits
from ..optimizer.float_adam import float_adam
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

    def __init__(self, config: NetworkConfig, optimizer: str, weights):
        self.config, self.optimizer = config, optimizer
        shapes = [(layer.rows, layer.outputs) for layer in config.layers]
        given = [np.shape(matrix) for matrix in weights]
        if given != shapes:
            raise ValueError(f"Weights must have the shapes {shapes}, not {given}")
        self.weights = [rounded(config, matrix) for matrix in weights]
        self.first = [np.zeros(shape, np.int64) for shape in shapes]
        self.second = [np.zeros(shape, np.int64) for shape in shapes]

    def backward(self, activations, errors, *, to_inputs: bool = False):
        """``(gradients, errors at the inputs)`` of errors at the outputs; the latter None unless they are wanted.

        Parameters
        ----------
        activations : list of array
            Of :func:`propagate`.
        errors : array (batch, outputs)
            Derivatives of the loss.
        to_inputs : bool
            Go back through the first layer, too.
        """
        layers = self.config.layers
        gradients = [None] * len(layers)
        for index in reversed(range(len(layers))):
            errors = differentiate(layers[index], activations[index + 1], errors)
            gradients[index] = gradient(layers[index], activations[index], errors)
            if index or to_inputs:
                errors = backward(layers[index], self.weights[index], errors)
        return gradients, errors if to_inputs else None

    def update(self, gradients, rates):
        """A step of the optimiser.

        Parameters
        ----------
        gradients : list of array
            Like the weights.
        rates : AdamRates or float
            Real numbers: those of this step for Adam, the learning rate for SGD.
        """
        number_format = self.config.arithmetic.format
        adam = self.optimizer == "adam"
        rates = rates.rounded(number_format) if adam else from_numbers(number_format, rates)
        updated = []
        for index, (matrix, slope) in enumerate(zip(self.weights, gradients, strict=True)):
            bits, slope_bits = to_bits(number_format, matrix), to_bits(number_format, slope)
            if adam:
                bits, self.first[index], self.second[index] = float_adam(
                    number_format, bits, self.first[index], self.second[index], slope_bits, rates
                )
            else:
                bits = sgd(number_format, bits, slope_bits, rates)
            updated.append(from_bits(number_format, bits))
        self.weights = updated


def propagate(config: NetworkConfig, weights, x):
    """Inputs of a network, then outputs of layer after layer."""
    activations = [x]
    for layer, matrix in zip(config.layers, weights, strict=True):
        activations.append(forward(layer, matrix, activations[-1]))
    return activations


def rounded(config: NetworkConfig, numbers):
    """Values nearest to real numbers."""
    number_format = config.arithmetic.format
    return from_bits(number_format, from_numbers(number_format, numbers))
