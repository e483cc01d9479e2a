"""The layers of a network's reference: they compute what PyTorch does, with ReLU where the hardware has it."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from rewardware.sw.networks.convolution.convolutional_network import ConvolutionalNetwork
from rewardware.sw.networks.convolution.network_file import load_network
from rewardware.sw.networks.convolution.nodes import (
    Addition,
    AveragePooling,
    Concatenation,
    Convolution,
    Input,
    MaxPooling,
)
from rewardware.sw.networks.convolution.parameters import Parameters, random_parameters
from rewardware.sw.networks.convolution.reference_layers import reference_layers
from rewardware.sw.networks.convolution.torch_import import import_module
from rewardware.sw.reference.convolution.layers import forward


class Branches(nn.Module):
    """Everything that becomes layers: also ReLU after a max pooling and a concatenation of one."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 8, (3, 5), (2, 1), (1, 2), bias=False), nn.BatchNorm2d(8), nn.ReLU())
        self.same = nn.Conv2d(8, 6, (4, 3), padding="same")
        self.valid = nn.Conv2d(8, 6, 1)
        self.pool = nn.MaxPool2d(3, 2, 1, ceil_mode=True)
        self.average = nn.AvgPool2d((2, 3), (2, 2), (1, 1), count_include_pad=False)
        self.up = nn.ConvTranspose2d(20, 7, (3, 4), (2, 3), (1, 0), (1, 2))
        self.last = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(7, 9), nn.ReLU(), nn.Linear(9, 2))

    def forward(self, x):
        x = self.first(x)
        both = torch.cat([self.pool(self.same(x)), self.pool(self.valid(x)).relu()], dim=1).relu()
        return self.last(self.up(torch.cat([both, self.average(x)], dim=1).relu()))


def test_outputs_are_those_of_pytorch():
    torch.manual_seed(4)
    module = Branches().double()
    module.first[1].running_mean.normal_()
    module.first[1].running_var.uniform_(0.5, 2)
    imported = import_module(module, 3, (13, 11))
    layers = reference_layers(imported.network, imported.parameters)
    rectified = {layer.name for layer in layers if getattr(layer, "rectified", False)}
    assert rectified == {"first.0", "same", "valid", "last.2"}
    pictures = torch.randn(2, 3, 13, 11, dtype=torch.float64)
    with torch.no_grad():
        expected = module.eval()(pictures).numpy()
    for picture, result in zip(pictures, expected, strict=True):
        found = forward(layers, picture.permute(1, 2, 0).numpy())
        np.testing.assert_allclose(found[imported.network.outputs[0]].reshape(-1), result, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["atari", "dcgan", "googlenet", "inception-v4"])
def test_networks_of_the_package_have_their_layers(name):
    network = load_network(name)
    parameters = {
        each: Parameters(
            kernels=np.broadcast_to(0.0, (*shape.kernel, shape.input_channels, shape.output_channels)),
            bias=np.broadcast_to(0.0, shape.output_channels),
        )
        for each, shape in network.convolutions.items()
    }
    layers = reference_layers(network, parameters)
    assert [layer.name for layer in layers] == list(network.order[1:])
    flags = {node.name: node.relu for node in network.nodes if node.name in network.convolutions}
    assert {layer.name: layer.rectified for layer in layers if layer.name in flags} == flags


PICTURE = Input(name="picture", channels=3, picture=(6, 5))
A = Convolution(name="a", source="picture", channels=4, kernel=(1, 1))
B = Convolution(name="b", source="picture", channels=2, kernel=(1, 1))
POOL = MaxPooling(name="pool", source="a", kernel=(2, 2), stride=(2, 2), relu=True)
JOINED = Concatenation(name="joined", sources=("a", "b"), relu=True)
AVERAGE = AveragePooling(name="average", source="a", kernel=(2, 2), relu=True)


def layers_of(*nodes):
    network = ConvolutionalNetwork(name="small", nodes=(PICTURE, *nodes))
    return reference_layers(network, random_parameters(network, 1))


def test_relu_that_changes_nothing_is_left_away():
    """Results of rectified convolutions are never negative, whoever takes them besides."""
    layers = layers_of(replace(A, relu=True), replace(B, relu=True), JOINED, AVERAGE, POOL)
    assert {layer.name: layer.rectified for layer in layers if hasattr(layer, "rectified")} == {"a": True, "b": True}


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        (
            (A, replace(A, name="c"), Addition(name="sum", sources=("a", "c"), relu=True)),
            "Node 'sum' is an addition, and no unit of the hardware adds feature maps",
        ),
        (
            (A, POOL, replace(POOL, name="other", relu=False)),
            "ReLU of node 'pool' must be computed by what it takes, and other takes 'a' without it",
        ),
        (
            (A, B, JOINED, replace(POOL, name="other", relu=False)),
            "ReLU of node 'joined' must be computed by what it takes, and other takes 'a' without it",
        ),
        (
            (A, AVERAGE),
            "ReLU of node 'average' must be after a convolution, through max poolings and concatenations at most, not "
            "after 'average' (AveragePooling)",
        ),
        (
            (replace(POOL, source="picture"),),
            "ReLU of node 'pool' must be after a convolution, through max poolings and concatenations at most, not "
            "after 'picture' (Input)",
        ),
        ((replace(A, name="input"),), "Node 'input' must have another name: it is that of the picture that goes in"),
        ((), "Network 'small' must have a layer, and not only an input"),
    ],
)
def test_refusals(nodes, words):
    with pytest.raises(ValueError) as error:
        layers_of(*nodes)
    assert str(error.value) == words


def test_parameters_that_are_not_those_of_the_network():
    network = ConvolutionalNetwork(name="small", nodes=(PICTURE, A))
    with pytest.raises(ValueError, match="^Node 'a' must have parameters, and there are none of that name$"):
        reference_layers(network, {})
    wrong = {"a": Parameters(kernels=np.zeros((1, 1, 4, 3)), bias=np.zeros(4))}
    with pytest.raises(ValueError, match=r"^Node 'a': Kernels must have the shape \(1, 1, 3, 4\), not \(1, 1, 4, 3\)$"):
        reference_layers(network, wrong)
