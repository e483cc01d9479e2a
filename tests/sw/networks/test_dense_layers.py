"""Passes of perceptrons whose products are large and small, odd sizes too, against autograd in float64."""

import copy

import numpy as np
import pytest
import torch

from rewardware.sw.networks import dense_layers
from rewardware.sw.networks.dense_layers import backward, forward, input_derivative, product
from rewardware.sw.networks.initialization import initial_layers
from rewardware.sw.networks.torch_networks import build_network


@pytest.fixture(params=[True, False], ids=["oneDNN", "no oneDNN"])
def onednn(request, monkeypatch):
    """Whether there is one, and the shapes of what it is given."""
    shapes, given = [], dense_layers._onednn

    def listen(left, right, *rest):
        shapes.append((left.shape[0], *right.shape))
        return given(left, right, *rest)

    monkeypatch.setattr(dense_layers, "_onednn", listen if request.param else None)
    return shapes if request.param else None


def test_passes_are_those_of_autograd(onednn):
    sizes, rows = (23, 256, 131, 3), 257
    generator = np.random.default_rng(0)
    network = build_network(initial_layers(sizes, generator))
    layers = dense_layers.dense_layers(network)
    oracle = copy.deepcopy(network).double().requires_grad_()
    observations = torch.from_numpy(generator.normal(size=(rows, 23)).astype(np.float32))
    slopes = torch.from_numpy(generator.normal(size=(rows, 3)).astype(np.float32))
    exact = observations.double().requires_grad_()
    outputs = oracle(exact)
    outputs.backward(slopes.double())

    found, inputs = forward(layers, observations)
    backward(layers, inputs, slopes)
    pairs = [(found, outputs), (input_derivative(layers, inputs, slopes), exact.grad)]
    pairs += zip((p.grad for p in network.parameters()), (p.grad for p in oracle.parameters()), strict=True)
    for one, other in pairs:
        # A few units in the last place of the largest number.
        assert torch.allclose(one.double(), other, rtol=0, atol=3e-6 * float(other.detach().abs().max()))
    if onednn is not None:
        # Forward, weights' gradient, and back, twice: of the first two layers; the first one's gradient is turned.
        first = (257, 256, 23), (23, 256, 257), (257, 23, 256)
        middle = (257, 131, 256), (131, 256, 257), (257, 256, 131)
        assert set(onednn) == {*first, *middle}


def test_a_product_has_the_same_bits_each_time():
    generator = torch.Generator().manual_seed(0)
    left, right = (torch.randn(257, 257, generator=generator) for _ in range(2))
    bias = torch.randn(257, generator=generator)
    first = product(left, right, bias)
    assert all(torch.equal(first, product(left, right, bias)) for _ in range(3))
    assert torch.allclose(first.double(), left.double() @ right.double() + bias, rtol=0, atol=1e-4)
