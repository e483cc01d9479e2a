"""A network of the user's that is no perceptron, trained by PyTorch's autograd."""

import copy
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.modules.batchnorm import _NormBase
from torch.nn.modules.dropout import _DropoutNd

from .adam import Adam
from .network import Network, TrainableNetwork
from .user_network import Layers

__all__ = ["ModuleNetwork", "make_network", "require_module"]

# Rows of the pass with which a module is tried.
ROWS = 2


class _Way(NamedTuple):
    """Inputs of a pass, and its outputs with what autograd keeps of them."""

    inputs: torch.Tensor
    outputs: torch.Tensor


class ModuleNetwork:
    """Any module of PyTorch from rows to rows, with the members of :class:`.Network`.

    Several times slower than that: autograd's bookkeeping takes as long as the arithmetic of small networks.

    Parameters
    ----------
    module
        A copy of it learns.
    learning_rate
        Adam's step; ``None``: it does not learn.
    """

    def __init__(self, module: nn.Module, learning_rate: float | None):
        self.module = copy.deepcopy(module).requires_grad_(learning_rate is not None)
        self.parameters: list[torch.Tensor] = list(self.module.parameters())
        # All in one vector; the module's parameters are views of it.
        self._flat = torch.cat([parameter.detach().reshape(-1) for parameter in self.parameters])
        for parameter, own in zip(self.parameters, self._split(self._flat), strict=True):
            parameter.data = own
        self.optimizer = None if learning_rate is None else Adam(self._flat, learning_rate)

    def __call__(self, *values: torch.Tensor) -> tuple[torch.Tensor, _Way]:
        """Outputs for values side by side, shape (rows, outputs), and the pass, for the way back: once at most."""
        learns = self.optimizer is not None
        inputs = (torch.cat(values, 1) if len(values) > 1 else values[0]).detach().requires_grad_(learns)
        with torch.set_grad_enabled(learns):
            outputs = self.module(inputs)
        # A copy, for who has the outputs may change them in place.
        return outputs.detach().clone(), _Way(inputs, outputs)

    def differentiate(self, way: _Way, derivative: torch.Tensor) -> None:
        """Make a loss's derivative by the outputs of a pass the gradients of the parameters."""
        assert self.optimizer is not None
        found = torch.autograd.grad(way.outputs[: len(derivative)], self.parameters, derivative, allow_unused=True)
        for own, gradient in zip(self._split(self.optimizer.gradients), found, strict=True):
            own.copy_(torch.zeros(()) if gradient is None else gradient)

    def input_derivative(self, way: _Way, derivative: torch.Tensor) -> torch.Tensor:
        """A loss's derivative by what went into a pass; the parameters' gradients stay what they were."""
        return torch.autograd.grad(way.outputs, way.inputs, derivative)[0]

    def advance(self) -> None:
        """A step of the optimiser."""
        assert self.optimizer is not None
        self.optimizer.advance()

    def learn(self, way: _Way, derivative: torch.Tensor) -> None:
        """A step against a loss's derivative by the outputs of a pass."""
        self.differentiate(way, derivative)
        self.advance()

    def copy(self) -> "ModuleNetwork":
        """A network of the same weights that does not learn."""
        return ModuleNetwork(self.module, None)

    def follow(self, leader: "ModuleNetwork", rate: float) -> None:
        """Go a part of the way to another network's weights."""
        self._flat.lerp_(leader._flat, rate)

    def _split(self, vector: torch.Tensor) -> list[torch.Tensor]:
        """The share of each parameter, in its shape."""
        shapes = [parameter.shape for parameter in self.parameters]
        return [part.view(shape) for part, shape in zip(vector.split([s.numel() for s in shapes]), shapes, strict=True)]


def make_network(
    first: Layers | nn.Module, learning_rate: float | None, precision: str = "binary32"
) -> TrainableNetwork:
    """Make the network of a perceptron's first weights, or of a module.

    Raises
    ------
    ValueError
        A module's products are in another format than binary32.
    """
    if not isinstance(first, nn.Module):
        return Network(first, learning_rate, precision)
    if precision != "binary32":
        raise ValueError(f"precision must be binary32 for a module such as {type(first).__name__}, not {precision}")
    return ModuleNetwork(first, learning_rate)


def require_module(module: nn.Module, name: str, inputs: int, outputs: int) -> None:
    """Refuse a module that does not learn as an agent needs it.

    Parameters
    ----------
    module
        The user's module.
    name
        What it is, for errors.
    inputs, outputs
        Elements of a row that goes into it and of one that comes out.

    Raises
    ------
    ValueError
        It has no parameters, or other ones than binary32 on the processor, or some that are not finite; it has a layer
        that draws, or that keeps averages, so that checkpoints would not hold all of it; it does not make rows of
        ``outputs`` of rows of ``inputs``.
    """
    parameters = dict(module.named_parameters())
    if not parameters:
        raise ValueError(f"The {name} must have parameters to learn, and {type(module).__name__} has none")
    for key, parameter in parameters.items():
        if parameter.dtype != torch.float32 or parameter.device.type != "cpu":
            raise ValueError(
                f"Parameter {key} of the {name} must be float32 on the processor, not "
                f"{str(parameter.dtype).removeprefix('torch.')} on {parameter.device}"
            )
        if not torch.isfinite(parameter).all():
            raise ValueError(f"Parameter {key} of the {name} has a number that is not finite")
    for key, part in module.named_modules():
        if isinstance(part, _DropoutNd | _NormBase):
            raise ValueError(
                f"Layer {key or 0} of the {name}, {type(part).__name__}, draws or keeps averages, which differ between "
                "training and acting and are in no checkpoint: omit it (LayerNorm is accepted)"
            )
    found = _tried(module, name, inputs)
    if not isinstance(found, torch.Tensor) or found.shape != (ROWS, outputs):
        shape = tuple(found.shape) if isinstance(found, torch.Tensor) else type(found).__name__
        raise ValueError(f"The {name} must make {(ROWS, outputs)} of values of shape {(ROWS, inputs)}, not {shape}")


def _tried(module: nn.Module, name: str, inputs: int) -> Any:
    """The module's outputs for zeros."""
    try:
        with torch.no_grad():
            return module(torch.zeros(ROWS, inputs))
    except Exception as error:
        raise ValueError(
            f"The {name} does not take values of shape {(ROWS, inputs)}: {type(error).__name__}: {error}"
        ) from error
