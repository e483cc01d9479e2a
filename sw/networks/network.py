"""A perceptron that learns, with both passes as plain arithmetic."""

from typing import Any, Protocol, Self

import torch

from .dense_layers import DenseLayer, backward, dense_layers, forward, input_derivative
from .fused_adam import FusedAdam
from .torch_networks import build_network
from .user_network import Layers

__all__ = ["Network", "TrainableNetwork"]


class TrainableNetwork(Protocol):
    """What learners do with a network, whatever computes it; a pass is what the same network's call gave."""

    module: torch.nn.Module
    parameters: list[torch.Tensor]
    optimizer: FusedAdam | None

    def __call__(self, *values: torch.Tensor) -> tuple[torch.Tensor, Any]:
        """Outputs for values side by side, shape (rows, outputs), and the pass, for the way back: once at most."""
        ...

    def differentiate(self, way: Any, derivative: torch.Tensor) -> None:
        """Make a loss's derivative by the outputs of a pass the gradients of the parameters."""
        ...

    def input_derivative(self, way: Any, derivative: torch.Tensor) -> torch.Tensor:
        """A loss's derivative by what went into a pass; the parameters' gradients stay what they were."""
        ...

    def advance(self) -> None:
        """A step of the optimiser."""
        ...

    def learn(self, way: Any, derivative: torch.Tensor) -> None:
        """A step against a loss's derivative by the outputs of a pass."""
        ...

    def copy(self) -> Self:
        """A network of the same weights that does not learn."""
        ...

    def follow(self, leader: Self, rate: float) -> None:
        """Go a part of the way to another network's weights."""
        ...


class Network:
    """A perceptron, its optimiser if it learns, and both passes without autograd.

    Parameters
    ----------
    layers
        First weights (outputs x inputs) and biases, which are copied.
    learning_rate
        Adam's step; ``None``: it does not learn.
    """

    def __init__(self, layers: Layers, learning_rate: float | None):
        network = build_network(layers)
        self.module: torch.nn.Module = network
        self._layers: list[DenseLayer] = dense_layers(network)
        self.parameters: list[torch.Tensor] = list(self.module.parameters())
        self.optimizer = None if learning_rate is None else FusedAdam(self.parameters, learning_rate)

    def __call__(self, *values: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """Outputs for values side by side, shape (rows, outputs), and the pass, for the way back: once at most."""
        return forward(self._layers, torch.cat(values, 1) if len(values) > 1 else values[0])

    def differentiate(self, way: list[torch.Tensor], derivative: torch.Tensor) -> None:
        """Make a loss's derivative by the outputs of a pass the gradients of the parameters."""
        backward(self._layers, way, derivative)

    def input_derivative(self, way: list[torch.Tensor], derivative: torch.Tensor) -> torch.Tensor:
        """A loss's derivative by what went into a pass; the parameters' gradients stay what they were."""
        return input_derivative(self._layers, way, derivative)

    def advance(self) -> None:
        """A step of the optimiser."""
        assert self.optimizer is not None
        self.optimizer.advance()

    def learn(self, way: list[torch.Tensor], derivative: torch.Tensor) -> None:
        """A step against a loss's derivative by the outputs of a pass."""
        self.differentiate(way, derivative)
        self.advance()

    def copy(self) -> "Network":
        """A network of the same weights that does not learn."""
        return Network([(layer.weight.numpy(), layer.bias.numpy()) for layer in self._layers], None)

    def follow(self, leader: "Network", rate: float) -> None:
        """Go a part of the way to another network's weights."""
        torch._foreach_lerp_(self.parameters, leader.parameters, rate)
