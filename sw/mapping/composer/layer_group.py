"""Layer propagations of a network: what they compute and what they hold."""

import itertools
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["NUMBER_BYTES", "LayerGroup", "Propagation"]

# Bytes of a binary32.
NUMBER_BYTES = 4
# Operations of Adam per parameter: two moments, the root, the quotient, the step.
_OPTIMIZER_OPERATIONS = 12
# Operations of an output's squared or Huber error.
_LOSS_OPERATIONS = 6


class Propagation(StrEnum):
    """Kind of pass over the layers."""

    INFERENCE = "inference"  # forward, nothing kept
    FORWARD = "forward"  # activations kept for the way back
    LOSS = "loss"  # errors of the outputs, and their size for the priorities
    BACKWARD = "backward"  # gradients of activations and weights, optimiser
    INPUT_GRADIENT = "input gradient"  # forward, then the gradient of the inputs alone


@dataclass(frozen=True, kw_only=True)
class LayerGroup:
    """A node's work in the learner: all layers of a perceptron in one direction.

    Parameters
    ----------
    propagation : Propagation
    sizes : tuple of int
        Inputs, hidden layers, outputs; of a loss, outputs alone.
    """

    propagation: Propagation
    sizes: tuple[int, ...]

    @property
    def products(self) -> tuple[int, ...]:
        """Multiplications of each layer for an experience."""
        return tuple(inputs * outputs for inputs, outputs in itertools.pairwise(self.sizes))

    @property
    def parameters(self) -> int:
        """Weights and biases."""
        return sum(self.products) + sum(self.sizes[1:])

    @property
    def weight_bytes(self) -> int:
        """Bytes of all parameters."""
        return NUMBER_BYTES * self.parameters

    @property
    def activation_bytes(self) -> int:
        """Bytes of all layers' inputs and the outputs, per experience."""
        return NUMBER_BYTES * sum(self.sizes)

    @property
    def stages(self) -> tuple[int, ...]:
        """#MAC of each stage of a pipeline of these propagations, for an experience.

        Forward a stage a layer; backward two, for the gradients of its inputs and of its weights, but for the first
        layer, whose inputs need none.
        """
        layers = self.products
        match self.propagation:
            case Propagation.LOSS:
                return self.sizes
            case Propagation.BACKWARD:
                return (*layers[1:], *layers)
            case Propagation.INPUT_GRADIENT:
                return (*layers, *layers)
            case _:
                return layers

    @property
    def operations(self) -> int:
        """Additions and multiplications for an experience."""
        if self.propagation == Propagation.LOSS:
            return _LOSS_OPERATIONS * sum(self.sizes)
        return 2 * sum(self.stages)

    @property
    def batch_operations(self) -> int:
        """Operations per batch that do not depend on its size: those of the optimiser."""
        return _OPTIMIZER_OPERATIONS * self.parameters if self.propagation == Propagation.BACKWARD else 0
