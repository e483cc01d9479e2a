"""The reference against PyTorch, which knows nothing of it."""

import numpy as np
import pytest
import torch

from rewardware.hw.cores.float.config import BINARY16, BINARY32
from rewardware.hw.cores.fractional_convolution.layer import FractionalConvolutionLayer
from rewardware.sw.reference.float import host
from rewardware.sw.reference.fractional_convolution.fractional_convolution import fractional_convolution

LAYERS = (
    FractionalConvolutionLayer(input_channels=3, output_channels=5, size=(4, 3), kernel=(3, 2), stride=(2, 3)),
    FractionalConvolutionLayer(
        input_channels=1, output_channels=1, size=(1, 1), kernel=(1, 4), output_padding=(1, 0), stride=(3, 1)
    ),
    FractionalConvolutionLayer(
        input_channels=7, output_channels=2, size=(5, 6), kernel=(4, 4), stride=(2, 2), padding=(1, 1), pictures=3
    ),
    FractionalConvolutionLayer(
        input_channels=2,
        output_channels=3,
        size=(2, 7),
        kernel=(5, 3),
        stride=(4, 2),
        padding=(3, 2),
        output_padding=(3, 1),
        pictures=2,
    ),
    # Kernels that do not touch, and output pixels that none reaches.
    FractionalConvolutionLayer(
        input_channels=2, output_channels=2, size=(3, 3), kernel=(1, 2), stride=(3, 4), output_padding=(2, 3)
    ),
)


def _of_torch(layer, inputs, weights):
    return torch.nn.functional.conv_transpose2d(
        torch.from_numpy(inputs),
        torch.from_numpy(weights),
        stride=layer.stride,
        padding=layer.padding,
        output_padding=layer.output_padding,
    ).numpy()


def _shapes(layer):
    return (layer.pictures, layer.input_channels, *layer.size), (
        layer.input_channels,
        layer.output_channels,
        *layer.kernel,
    )


@pytest.mark.parametrize("layer", LAYERS)
def test_integers_are_exact(layer):
    rng = np.random.default_rng(0)
    inputs, weights = (rng.integers(-(1 << 15), 1 << 15, shape) for shape in _shapes(layer))
    found = fractional_convolution(layer, inputs, weights)
    assert found.shape == (layer.pictures, layer.output_channels, *layer.output_size)
    # Sums of few products of 16 bits are exact in float64.
    assert np.array_equal(found, _of_torch(layer, inputs.astype(np.float64), weights.astype(np.float64)))


@pytest.mark.parametrize("number_format", [BINARY32, BINARY16], ids=str)
@pytest.mark.parametrize("layer", LAYERS)
def test_floating_point_is_near(layer, number_format):
    rng = np.random.default_rng(1)
    inputs, weights = (host.round_to(number_format, rng.normal(size=shape)).astype(host.working_type(number_format))
                       for shape in _shapes(layer))  # fmt: skip
    found = fractional_convolution(layer, inputs, weights, number_format)
    exact = _of_torch(layer, inputs.astype(np.float64), weights.astype(np.float64))
    largest = _of_torch(layer, np.abs(inputs).astype(np.float64), np.abs(weights).astype(np.float64))
    operations = 2 * layer.products_of_a_sum
    unit = 2.0 ** -(number_format.fraction_bits + 1)
    # The bound of any order of so many roundings, and half of the smallest number for each product that underflows.
    bound = largest * operations * unit * 1.01 + operations * 2.0 ** -(number_format.bias + number_format.fraction_bits)
    assert (np.abs(found - exact) <= bound).all()


def test_the_order_of_additions():
    """Input channels in ascending order, then kernel elements: large numbers swallow what comes before they cancel."""
    layer = FractionalConvolutionLayer(input_channels=3, output_channels=1, size=(1, 1), kernel=(1, 1))
    inputs = np.array([2.0**11, 1.0, -(2.0**11)], np.float32).reshape(1, 3, 1, 1)
    ones = np.ones((3, 1, 1, 1), np.float32)
    assert fractional_convolution(layer, inputs, ones, BINARY16)[0, 0, 0, 0] == 0
    assert fractional_convolution(layer, inputs[:, [0, 2, 1]], ones, BINARY16)[0, 0, 0, 0] == 1
    # Output 2 gets element 0 of pixel 2, 1 of pixel 1, 2 of pixel 0.
    layer = FractionalConvolutionLayer(input_channels=1, output_channels=1, size=(1, 3), kernel=(1, 3))
    for order, total in (([2.0**11, 1.0, -(2.0**11)], 0), ([1.0, -(2.0**11), 2.0**11], 1)):
        inputs = np.array(order[::-1], np.float32).reshape(1, 1, 1, 3)
        found = fractional_convolution(layer, inputs, np.ones((1, 1, 1, 3), np.float32), BINARY16)
        assert found[0, 0, 0, 2] == total


def test_shapes_are_checked():
    layer = LAYERS[0]
    shapes = _shapes(layer)
    with pytest.raises(ValueError, match=r"Inputs must have the shape \(1, 3, 4, 3\), not \(3, 4, 3\)"):
        fractional_convolution(layer, np.zeros((3, 4, 3)), np.zeros(shapes[1]))
    with pytest.raises(ValueError, match=r"Weights must have the shape \(3, 5, 3, 2\), not \(5, 3, 3, 2\)"):
        fractional_convolution(layer, np.zeros(shapes[0]), np.zeros((5, 3, 3, 2)))
