"""Forward and backward passes of linear layers with ReLU between them, in PyTorch without its autograd.

For networks of this size the bookkeeping of autograd takes as long as the arithmetic. The bits are those of autograd,
but for large products (`product`) and weights' gradients of wide layers.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn

__all__ = ["DenseLayer", "backward", "clip_gradients", "dense_layers", "forward", "input_derivative", "product"]

# Where a ReLU gave 0 its derivative is 0.
_threshold_backward = torch.ops.aten.threshold_backward.default
# oneDNN's product, which PyTorch has for its compiler and does not use by itself in binary32.
_onednn = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
# Multiplications; with fewer, beginning takes more than it saves.
ONEDNN_FROM = 1 << 19
# Numbers of a matrix that is worth not to be turned.
WIDE_FROM = 1 << 14


class DenseLayer(NamedTuple):
    """A linear layer's parameters, which share memory with the layer's.

    Parameters
    ----------
    weight : torch.Tensor
        Shape (outputs, inputs).
    bias : torch.Tensor
    transposed : torch.Tensor
        The weights as (inputs, outputs).
    """

    weight: torch.Tensor
    bias: torch.Tensor
    transposed: torch.Tensor


def dense_layers(network: nn.Sequential) -> list[DenseLayer]:
    """The linear layers of a network as `build_network` makes it; its autograd is off from here on."""
    network.requires_grad_(False)
    linear = [module for module in network if isinstance(module, nn.Linear)]
    return [DenseLayer(layer.weight, layer.bias, layer.weight.t()) for layer in linear]


def product(left: torch.Tensor, right: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """``left @ right``, and a bias for each column: binary32, sums in any order.

    Large ones go through oneDNN where PyTorch has it: MKL, which PyTorch takes, does not use all of the vector units of
    AMD's processors.

    Parameters
    ----------
    left
        Shape (rows, inner).
    right
        Shape (inner, columns); it or its transpose without gaps in memory.
    bias
        Shape (columns,); ``None``: none.
    """
    if _onednn is not None and len(left) * right.numel() >= ONEDNN_FROM:
        return _onednn(left, right.t(), bias, "none", [], "")
    return torch.mm(left, right) if bias is None else torch.addmm(bias, left, right)


def forward(layers: list[DenseLayer], observations: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Outputs, shape (rows, outputs), and what went into each layer, which `backward` needs."""
    values, inputs = observations, []
    for number, (_, bias, transposed) in enumerate(layers):
        if number:
            values = values.relu_()
        inputs.append(values)
        values = product(values, transposed, bias)
    return values, inputs


def backward(layers: list[DenseLayer], inputs: list[torch.Tensor], derivative: torch.Tensor) -> None:
    """Make a loss's derivative by the outputs the gradients of weights and biases, in place of what they were.

    Parameters
    ----------
    layers
        Of the network.
    inputs
        From `forward`.
    derivative
        Shape (rows, outputs).
    """
    for number in range(len(layers) - 1, -1, -1):
        (weight, bias, _), values = layers[number], inputs[number]
        weight.grad, bias.grad = _weight_gradient(derivative, values), derivative.sum(0)
        if number:
            derivative = _threshold_backward(product(derivative, weight), values, 0)


def _weight_gradient(derivative: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Shape (outputs, inputs); instead of a wide matrix the narrower one is turned, and what comes out."""
    if derivative.shape[1] > values.shape[1] and derivative.numel() >= WIDE_FROM:
        return product(values.t(), derivative).t().contiguous()
    return product(derivative.t(), values)


def input_derivative(layers: list[DenseLayer], inputs: list[torch.Tensor], derivative: torch.Tensor) -> torch.Tensor:
    """A loss's derivative by what went into the network, shape (rows, inputs); gradients stay what they were.

    Parameters
    ----------
    layers, inputs, derivative
        As of `backward`.
    """
    for number in range(len(layers) - 1, -1, -1):
        derivative = product(derivative, layers[number].weight)
        if number:
            derivative = _threshold_backward(derivative, inputs[number], 0)
    return derivative


def clip_gradients(parameters: Sequence[torch.Tensor], length: float) -> None:
    """Cut gradients to a length, as ``torch.nn.utils.clip_grad_norm_`` does."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    total = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
    if not float(total) + 1e-6 < length:
        torch._foreach_mul_(gradients, (length / (total + 1e-6)).clamp(max=1))
