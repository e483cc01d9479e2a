"""Initial weights, by the convention of PyTorch's linear layers and of the DDPG paper's last layer."""

import numpy as np

__all__ = ["initial_layers"]

LAST_LAYER_BOUND = 3e-3


def initial_layers(sizes: tuple[int, ...], generator: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Weights (outputs x inputs) and biases of a chain of linear layers.

    Uniform within +-1/sqrt(inputs), the last layer within +-3e-3, so that first actions and values are near zero.

    Parameters
    ----------
    sizes
        Inputs, hidden sizes, outputs.
    generator
        Where the numbers come from.
    """
    layers = []
    for index, (inputs, outputs) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
        bound = LAST_LAYER_BOUND if index == len(sizes) - 2 else inputs**-0.5
        layers.append((generator.uniform(-bound, bound, (outputs, inputs)), generator.uniform(-bound, bound, outputs)))
    return layers
