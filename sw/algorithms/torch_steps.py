"""Building blocks of a user's own gradient steps, in PyTorch with its autograd."""

from collections.abc import Iterable

import numpy as np
import torch
from torch import nn

from ..networks.torch_networks import perceptron
from .policies import LOG_DEVIATION
from .replay_buffer import Batch

__all__ = [
    "columns", "descend", "draw_squashed", "follow", "optimizers", "perceptron", "perceptrons", "values_of",
    "weights_of",
]  # fmt: skip


def perceptrons(count: int, *sizes: int) -> nn.ModuleList:
    """So many of them, as critics."""
    return nn.ModuleList([perceptron(*sizes) for _ in range(count)])


def optimizers(learning_rate: float, *parts: nn.Module | torch.Tensor) -> list[torch.optim.Optimizer]:
    """Adam for each of the parts, networks or single tensors."""
    learned = [[part] if isinstance(part, torch.Tensor) else list(part.parameters()) for part in parts]
    return [torch.optim.Adam(parameters, learning_rate) for parameters in learned]


def columns(batch: Batch) -> dict[str, torch.Tensor]:
    """Experiences of a batch by name, and its importance ``weights``: shape (rows, elements), numbers in columns."""
    arrays = {**batch.experiences, "weights": batch.weights}
    return {name: torch.from_numpy(values.reshape(len(values), -1)) for name, values in arrays.items()}


def values_of(critics: Iterable[nn.Module], observations: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    """Values of actions by each critic: shape (rows, critics)."""
    inputs = torch.cat((observations, actions), 1)
    return torch.cat([critic(inputs) for critic in critics], 1)


def draw_squashed(outputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Actions ``tanh(u)`` in (-1, 1), and the logarithms of their densities, shape (rows, 1).

    Parameters
    ----------
    outputs
        Outputs of a network: means of u, after them the logarithms of its standard deviations.
    """
    mean, logarithm = outputs.chunk(2, 1)
    normal = torch.distributions.Normal(mean, logarithm.clamp(*LOG_DEVIATION).exp())
    before = normal.rsample()
    squashed = 2 * (np.log(2) - before - nn.functional.softplus(-2 * before))
    return before.tanh(), (normal.log_prob(before) - squashed).sum(1, keepdim=True)


def descend(optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    """A step against a loss's gradients."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def follow(target: nn.Module, leader: nn.Module, rate: float) -> None:
    """Let a target's weights go a part of the way to those of a network like it."""
    for old, new in zip(target.parameters(), leader.parameters(), strict=True):
        old.data.lerp_(new.data, rate)


def weights_of(network: nn.Module) -> list[np.ndarray]:
    """For actors: weights and biases, which go on changing."""
    return [parameter.detach().numpy() for parameter in network.parameters()]
