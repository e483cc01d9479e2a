"""Networks in PyTorch from layers as arrays, and modules and optimisers as arrays by name."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

__all__ = ["ModuleStateError", "build_network", "load_modules", "perceptron", "save_modules"]


class ModuleStateError(ValueError):
    """A state that is not a module's: of other parameters, or of other shapes."""


def perceptron(*sizes: int) -> nn.Sequential:
    """Linear layers with ReLU between them, from the inputs to the outputs."""
    layers = [nn.Linear(inputs, outputs) for inputs, outputs in zip(sizes, sizes[1:], strict=False)]
    return nn.Sequential(*[part for layer in layers[:-1] for part in (layer, nn.ReLU())], layers[-1])


def build_network(layers: list[tuple[np.ndarray, np.ndarray]], output: nn.Module | None = None) -> nn.Sequential:
    """Linear, ReLU, ..., Linear, and after them ``output``; weights (outputs x inputs) and biases are copied."""
    inputs = layers[0][0].shape[1]
    network = perceptron(inputs, *(len(bias) for _, bias in layers))
    with torch.no_grad():
        linears = (module for module in network if isinstance(module, nn.Linear))
        for linear, (weight, bias) in zip(linears, layers, strict=True):
            linear.weight.copy_(torch.from_numpy(weight))
            linear.bias.copy_(torch.from_numpy(bias))
    return network if output is None else network.append(output)


def save_modules(parts: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Parameters of modules and moments of optimisers, as arrays by name."""
    state: dict[str, torch.Tensor] = {}
    for name, part in parts.items():
        if isinstance(part, torch.optim.Optimizer):
            for index, moments in part.state_dict()["state"].items():
                state |= {f"{name}.{index}.{key}": value for key, value in moments.items()}
        else:
            state |= {f"{name}.{key}": value for key, value in part.state_dict().items()}
    return {name: tensor.cpu().numpy().copy() for name, tensor in state.items()}


def load_modules(parts: Mapping[str, Any], state: dict[str, np.ndarray]) -> None:
    """Takes back what `save_modules` gave; what is not of these parts stays out.

    Raises
    ------
    ModuleStateError
        It is not of these modules.
    """
    for name, part in parts.items():
        # Loading takes references: the arrays stay whose they are.
        own = {
            key.removeprefix(f"{name}."): torch.from_numpy(np.array(value))
            for key, value in state.items()
            if key.startswith(f"{name}.")
        }
        if isinstance(part, torch.optim.Optimizer):
            moments: dict[int, dict[str, torch.Tensor]] = {}
            for key, tensor in own.items():
                index, _, field = key.partition(".")
                moments.setdefault(int(index), {})[field] = tensor
            part.load_state_dict({**part.state_dict(), "state": moments})
        else:
            try:
                part.load_state_dict(own)
            except RuntimeError as error:
                # After a headline it tells each parameter in a line.
                told = " ".join(line.strip() for line in str(error).splitlines()[1:3])
                raise ModuleStateError(f"The state of {name} does not fit this network: {told}") from None
