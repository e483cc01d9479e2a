"""Fractionally strided convolutions in integers: those of PyTorch, to the bit."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis.strategies import data, integers, sampled_from

from rewardware.hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape
from rewardware.sw.reference.convolution.fractional import addresses, direct, kn2row, stretched
from rewardware.sw.reference.convolution.gradients import input_gradient, weight_gradient

from .shapes import (
    convolutions,
    fractionally_strided,
    from_torch,
    operands,
    torch_convolution,
    torch_fractionally_strided,
    torch_gradients,
)


@settings(max_examples=150)
@given(data())
def test_same_sums_as_pytorch(drawn):
    shape = drawn.draw(fractionally_strided())
    picture, kernels = drawn.draw(operands(shape, drawn.draw(sampled_from([8, 16]))))
    sums = from_torch(torch_fractionally_strided(shape, picture.astype(np.float64), kernels.astype(np.float64)))
    assert sums.shape == (*shape.output, shape.output_channels)
    np.testing.assert_array_equal(direct(shape, picture, kernels), sums)
    np.testing.assert_array_equal(kn2row(shape, picture, kernels, drawn.draw(integers(1, 7))), sums)


@pytest.mark.parametrize(("padding", "output_padding"), [(0, 0), (1, 1), (3, 2)])
def test_padding_of_pytorch(padding, output_padding):
    """Its own padding and output padding, where both sides are padded alike."""
    shape = FractionallyStridedShape(
        input_channels=3,
        output_channels=2,
        picture=(4, 5),
        kernel=(5, 5),
        stride=(3, 3),
        padding=((padding, padding),) * 2,
        output_padding=(output_padding,) * 2,
    )
    rng = np.random.default_rng(padding)
    picture, kernels = rng.integers(-128, 128, (4, 5, 3)), rng.integers(-128, 128, (5, 5, 3, 2))
    sums = torch.nn.functional.conv_transpose2d(
        torch.from_numpy(picture).double().permute(2, 0, 1)[None],
        torch.from_numpy(kernels).double().permute(2, 3, 0, 1),
        stride=3,
        padding=padding,
        output_padding=output_padding,
    )
    np.testing.assert_array_equal(kn2row(shape, picture, kernels), from_torch(sums))


def test_the_stretched_picture_of_the_thesis():
    """Figure 3.10: 2 x 2 pixels, kernel 3, stride 2: 7 x 7 with zeros inserted and around."""
    shape = FractionallyStridedShape(input_channels=1, output_channels=1, picture=(2, 2), kernel=(3, 3), stride=(2, 2))
    expected = np.zeros((7, 7), int)
    expected[2, 2], expected[2, 4], expected[4, 2], expected[4, 4] = 1, 2, 3, 4
    np.testing.assert_array_equal(stretched(shape, np.array([[1, 2], [3, 4]])[..., None])[..., 0], expected)


@given(data())
def test_cores_of_a_round_never_meet(drawn):
    """The products of one pixel go to different addresses, and all of them are within the scratchpad."""
    shape, cores = drawn.draw(fractionally_strided()), drawn.draw(integers(1, 9))
    elements = shape.kernel[0] * shape.kernel[1]
    reached = set()
    for turn in range(-(-elements // cores)):
        of_round = [addresses(shape, turn, core, cores) for core in range(min(cores, elements - turn * cores))]
        for x, y in np.ndindex(shape.picture):
            of_pixel = {(int(rows[x]), int(columns[y])) for rows, columns in of_round}
            assert len(of_pixel) == len(of_round)
            reached |= of_pixel
    assert {(0, 0), tuple(size - 1 for size in shape.full)} <= reached
    assert all(row < shape.full[0] and column < shape.full[1] for row, column in reached)


@given(data())
def test_gradients_are_those_of_autograd(drawn):
    shape = drawn.draw(convolutions())
    picture, kernels = drawn.draw(operands(shape))
    errors = np.random.default_rng(1).integers(-128, 128, (*shape.output, shape.output_channels))
    bias = np.zeros(shape.output_channels)
    _, inputs, weights, _ = torch_gradients(
        shape, picture.astype(np.float64), kernels.astype(np.float64), bias, errors.astype(np.float64)
    )
    np.testing.assert_array_equal(input_gradient(shape, errors, kernels), inputs)
    np.testing.assert_array_equal(weight_gradient(shape, picture, errors), weights)


def test_the_gradient_of_a_convolution_is_its_transpose():
    """The pixels that no window reaches have none."""
    shape = ConvolutionShape(input_channels=1, output_channels=1, picture=(6, 6), kernel=(2, 2), stride=(3, 3))
    picture, kernels = np.ones((6, 6, 1), int), np.ones((2, 2, 1, 1), int)
    errors = from_torch(torch_convolution(shape, picture.astype(float), kernels.astype(float))).astype(int)
    gradient = input_gradient(shape, errors, kernels)[..., 0]
    assert not gradient[2].any() and not gradient[:, 5].any() and (gradient[:2, :2] == 4).all()


def test_refuses():
    shape = FractionallyStridedShape(input_channels=1, output_channels=1, picture=(2, 2), kernel=(1, 1))
    picture, kernels = np.zeros((2, 2, 1), int), np.zeros((1, 1, 1, 1), int)
    with pytest.raises(ValueError, match="^Cores must be at least 1, not 0$"):
        kn2row(shape, picture, kernels, 0)
    with pytest.raises(TypeError, match="^Kernels must be integers, not float64$"):
        direct(shape, picture, kernels.astype(float))
