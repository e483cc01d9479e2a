"""Networks in PyTorch, in double precision, with the weights of a reference."""

import numpy as np
import torch


def as_torch(values):
    """A tensor in double precision."""
    return torch.tensor(np.asarray(values, np.float64))


def perceptron(weights, hidden=torch.nn.ReLU, output=torch.nn.Identity):
    """Perceptron of weights ``(inputs + 1, outputs)`` for each layer, the bias as the last row."""
    parts = []
    for index, matrix in enumerate(weights):
        layer = torch.nn.Linear(len(matrix) - 1, matrix.shape[1], dtype=torch.float64)
        layer.weight.data, layer.bias.data = as_torch(matrix[:-1].T), as_torch(matrix[-1])
        parts += [layer, output() if index == len(weights) - 1 else hidden()]
    return torch.nn.Sequential(*parts)


def joined(network, name):
    """Weights and biases (``"data"``), or their gradients (``"grad"``), as the reference has them."""
    layers = [part for part in network if isinstance(part, torch.nn.Linear)]
    pairs = [(getattr(layer.weight, name), getattr(layer.bias, name)) for layer in layers]
    return [np.vstack([weight.numpy().T, bias.numpy()]) for weight, bias in pairs]
