"""Forward and backward passes of linear layers with ReLU between them, in PyTorch without its autograd.

For networks of this size the bookkeeping of autograd takes as long as the arithmetic. The bits are those of autograd.
"""

from collections.abc import Iterable

import torch
from torch import nn

__all__ = ["backward", "clip_gradients", "forward", "linear_layers"]


def linear_layers(network: Iterable[nn.Module]) -> list[nn.Linear]:
    """The linear layers of a network as `build_network` makes it."""
    return [module for module in network if isinstance(module, nn.Linear)]


@torch.no_grad()
def forward(layers: list[nn.Linear], observations: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Outputs, shape (rows, outputs), and what went into each layer, which `backward` needs."""
    values, inputs = observations, []
    for number, layer in enumerate(layers):
        if number:
            values = values.relu_()
        inputs.append(values)
        values = torch.addmm(layer.bias, values, layer.weight.t())
    return values, inputs


@torch.no_grad()
def backward(layers: list[nn.Linear], inputs: list[torch.Tensor], derivative: torch.Tensor) -> None:
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
        layer, values = layers[number], inputs[number]
        layer.weight.grad, layer.bias.grad = torch.mm(derivative.t(), values), derivative.sum(0)
        if number:
            derivative = torch.ops.aten.threshold_backward(torch.mm(derivative, layer.weight), values, 0)


@torch.no_grad()
def clip_gradients(parameters: list[nn.Parameter], length: float) -> None:
    """Cut gradients to a length, as ``torch.nn.utils.clip_grad_norm_`` does."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    total = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(gradient) for gradient in gradients]))
    share = length / (total + 1e-6)
    if not share >= 1:
        torch._foreach_mul_(gradients, share)
