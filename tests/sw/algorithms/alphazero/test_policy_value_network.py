"""The network of policy and value: its shape, and that the convolution engine has all of it."""

import numpy as np
import torch
from torch import nn

from rewardware.sw.algorithms.alphazero.policy_value_network import PolicyValueNetwork
from rewardware.sw.networks.convolution.torch_import import import_module
from tests.sw.networks.convolution.test_torch_import import compute


def test_five_convolutions_and_three_linear_layers():
    network = PolicyValueNetwork((3, 15, 15), 225)
    assert [sum(isinstance(part, kind) for part in network.modules()) for kind in (nn.Conv2d, nn.Linear)] == [5, 3]
    scores, values = network(torch.zeros(7, 3, 15, 15))
    assert scores.shape == (7, 225) and values.shape == (7, 1)
    first, second, third = (getattr(network, f"convolution{number}") for number in (1, 2, 3))
    assert [part.out_channels for part in (first, second, third)] == [32, 64, 128]


def test_the_convolution_engine_has_all_of_it():
    network = PolicyValueNetwork((3, 6, 7), 7, channels=(4, 5, 6), value_hidden=9)
    imported = import_module(network, 3, (6, 7))
    assert imported.network.outputs == ("policy", "value")
    planes = torch.from_numpy(np.random.default_rng(0).integers(0, 2, (2, 3, 6, 7)).astype(np.float32))
    for one, other in zip(network.double()(planes.double()), compute(imported, planes.double()), strict=True):
        np.testing.assert_allclose(one.detach(), other.flatten(1), atol=1e-12)
