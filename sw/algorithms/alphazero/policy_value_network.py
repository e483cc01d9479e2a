"""The network of policy and value: five convolutions and three linear layers."""

from collections.abc import Sequence

import torch
from torch import nn

__all__ = ["PolicyValueNetwork"]

POLICY_CHANNELS, VALUE_CHANNELS = 4, 2


class PolicyValueNetwork(nn.Module):
    """Scores of all actions, and the value of a position, from its planes.

    Three convolutions of 3 x 3 are common to both. Behind them the policy has a convolution of 1 x 1 with 4 channels
    and a linear layer; the value has one with 2 channels and two linear layers. ReLU is behind all layers but the last
    ones. The convolution engine can compute all of it (:func:`.import_module`): the softmax of the scores and the tanh
    of the value are the host's.

    Parameters
    ----------
    observation_shape
        Planes, rows and columns of a position.
    actions
        How many there are.
    channels
        Channels of the three common convolutions.
    value_hidden
        Neurons between the two linear layers of the value.

    Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, section 5.2.3, which has five
    convolutions and three linear layers; its two outputs are those of D. Silver et al., *A general reinforcement
    learning algorithm that masters chess, shogi, and Go through self-play*, Science 362, 2018.
    """

    def __init__(
        self,
        observation_shape: tuple[int, int, int],
        actions: int,
        channels: Sequence[int] = (32, 64, 128),
        value_hidden: int = 64,
    ):
        super().__init__()
        planes, rows, columns = observation_shape
        first, second, third = channels
        self.convolution1 = nn.Conv2d(planes, first, 3, padding=1)
        self.convolution2 = nn.Conv2d(first, second, 3, padding=1)
        self.convolution3 = nn.Conv2d(second, third, 3, padding=1)
        self.policy_convolution = nn.Conv2d(third, POLICY_CHANNELS, 1)
        self.policy = nn.Linear(POLICY_CHANNELS * rows * columns, actions)
        self.value_convolution = nn.Conv2d(third, VALUE_CHANNELS, 1)
        self.value_hidden = nn.Linear(VALUE_CHANNELS * rows * columns, value_hidden)
        self.value = nn.Linear(value_hidden, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Positions (batch, planes, rows, columns); scores (batch, actions), and values before the tanh (batch, 1)."""
        common = torch.relu(self.convolution1(planes))
        common = torch.relu(self.convolution2(common))
        common = torch.relu(self.convolution3(common))
        policy = torch.relu(self.policy_convolution(common)).flatten(1)
        value = torch.relu(self.value_convolution(common)).flatten(1)
        return self.policy(policy), self.value(torch.relu(self.value_hidden(value)))
