"""A perceptron that learns, with both passes in C++."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, Self

import numpy as np
import torch
from torch import nn

from .adam import Adam
from .native.library import native_library
from .torch_networks import build_network
from .user_network import Layers

__all__ = ["Network", "TrainableNetwork", "shared_passes"]


class TrainableNetwork(Protocol):
    """A network as learners use it, whatever computes it; a pass is the result of the same network's call."""

    module: torch.nn.Module
    parameters: list[torch.Tensor]
    optimizer: Adam | None

    def __call__(self, *values: torch.Tensor) -> tuple[torch.Tensor, Any]:
        """Outputs for values side by side, shape (rows, outputs), and the pass, for the way back: once at most."""
        ...

    def differentiate(self, way: Any, derivative: torch.Tensor) -> None:
        """Make a loss's derivative by the outputs of a pass, or of its first rows, the gradients of the parameters."""
        ...

    def input_derivative(self, way: Any, derivative: torch.Tensor) -> torch.Tensor:
        """A loss's derivative by what went into a pass; the parameters' gradients stay what they were.

        A row whose derivative by the outputs is 0 has 0, and takes no time.
        """
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


@contextlib.contextmanager
def shared_passes() -> Iterator[None]:
    """Let the passes of perceptrons have PyTorch's threads, and PyTorch itself one.

    Its own would wait awake for the next operation, on cores that passes need.
    """
    count, library = torch.get_num_threads(), native_library()
    torch.set_num_threads(1)
    library.set_threads(count)
    try:
        yield
    finally:
        library.set_threads(1)
        torch.set_num_threads(count)


class _Way:
    """Memory of a pass. The next pass uses it again: new pages take as long as the arithmetic."""

    def __init__(self, rows: int, spare: list[torch.Tensor], size: int):
        self.rows, self._spare, self.memory = rows, spare, spare.pop() if spare else torch.empty(size)

    def __del__(self) -> None:
        self._spare.append(self.memory)


class Network:
    """A perceptron, its optimiser if it learns, and both passes without autograd.

    A layer's product and what follows it are one loop, of one thread, or of several within `shared_passes`: the same
    bits.

    Parameters
    ----------
    layers
        First weights (outputs x inputs) and biases, which are copied.
    learning_rate
        Adam's step; ``None``: it does not learn.
    precision
        Format of the factors of products, ``"binary32"`` or ``"bfloat16"``; sums and parameters are in binary32.
        Processors with an instruction for bfloat16 and without have the same bits, but for sums that round up to the
        least normal number.
    """

    def __init__(self, layers: Layers, learning_rate: float | None, precision: str = "binary32"):
        self._library = native_library()
        self._precision = precision
        network = build_network(layers).requires_grad_(False)
        linear = [module for module in network if isinstance(module, nn.Linear)]
        sizes = [linear[0].in_features, *(layer.out_features for layer in linear)]
        self._sizes = np.array(sizes, np.int32)
        self._network = self._sizes.ctypes.data, len(linear)
        self._passes = *self._network, precision == "bfloat16"
        parts = [part for layer in linear for part in (layer.weight.t().reshape(-1), layer.bias)]
        # All in one vector; the module's parameters are views of it.
        self._flat = torch.cat(parts)
        for layer, weight, bias in zip(
            linear, *_alternating(self._flat.split([len(part) for part in parts])), strict=True
        ):
            layer.weight.data, layer.bias.data = weight.view(layer.weight.t().shape).t(), bias
        # By rows.
        self._spare: dict[int, list[torch.Tensor]] = {}
        self.module: torch.nn.Module = network
        self.parameters: list[torch.Tensor] = list(network.parameters())
        self.optimizer = None if learning_rate is None else Adam(self._flat, learning_rate)

    def __call__(self, *values: torch.Tensor) -> tuple[torch.Tensor, _Way]:
        """Outputs for values side by side, shape (rows, outputs), and the pass, for the way back: once at most."""
        inputs = torch.cat(values, 1) if len(values) > 1 else values[0].contiguous()
        rows = len(inputs)
        way = _Way(rows, self._spare.setdefault(rows, []), self._library.pass_size(*self._network, rows))
        outputs = torch.empty(rows, int(self._sizes[-1]))
        self._library.forward(
            *self._passes,
            self._flat.data_ptr(),
            rows,
            inputs.data_ptr(),
            way.memory.data_ptr(),
            outputs.data_ptr(),
        )
        return outputs, way

    def differentiate(self, way: _Way, derivative: torch.Tensor) -> None:
        """Make a loss's derivative by the outputs of a pass, or of its first rows, the gradients of the parameters."""
        assert self.optimizer is not None
        self._back(way, derivative, self.optimizer.gradients.data_ptr(), None)

    def input_derivative(self, way: _Way, derivative: torch.Tensor) -> torch.Tensor:
        """A loss's derivative by what went into a pass; the parameters' gradients stay what they were."""
        found = torch.empty(len(derivative), int(self._sizes[0]))
        self._back(way, derivative, None, found.data_ptr())
        return found

    def _back(self, way: _Way, derivative: torch.Tensor, gradients: int | None, by_inputs: int | None) -> None:
        derivative = derivative.contiguous()
        self._library.backward(
            *self._passes,
            self._flat.data_ptr(),
            way.rows,
            way.memory.data_ptr(),
            len(derivative),
            derivative.data_ptr(),
            gradients,
            by_inputs,
        )

    def advance(self) -> None:
        """A step of the optimiser."""
        assert self.optimizer is not None
        self.optimizer.advance()

    def learn(self, way: _Way, derivative: torch.Tensor) -> None:
        """A step against a loss's derivative by the outputs of a pass."""
        self.differentiate(way, derivative)
        self.advance()

    def copy(self) -> "Network":
        """A network of the same weights that does not learn."""
        weights, biases = _alternating(self.parameters)
        layers = [(one.numpy(), other.numpy()) for one, other in zip(weights, biases, strict=True)]
        return Network(layers, None, self._precision)

    def follow(self, leader: "Network", rate: float) -> None:
        """Go a part of the way to another network's weights."""
        self._library.follow(self._flat.numel(), self._flat.data_ptr(), leader._flat.data_ptr(), rate)


def _alternating(parts: Sequence[torch.Tensor]) -> tuple[Sequence[torch.Tensor], Sequence[torch.Tensor]]:
    """Weights, and biases, of both in turn."""
    return parts[::2], parts[1::2]
