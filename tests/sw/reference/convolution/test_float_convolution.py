"""Floating point: every sum in its order, against scalar operations on bit patterns and against PyTorch's autograd."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import data, integers, sampled_from

from rewardware.hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape
from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32, FloatFormat
from rewardware.sw.reference.convolution.float_convolution import (
    bias_gradient,
    convolution,
    fractionally_strided,
    input_gradient,
    weight_gradient,
)
from rewardware.sw.reference.float.arithmetic import add, multiply
from rewardware.sw.reference.float.host import round_to, to_bits, working_type

from . import shapes
from .shapes import convolutions, torch_gradients

FORMATS = [BINARY32, BINARY16, BFLOAT16, FloatFormat(exponent_bits=4, fraction_bits=3, subnormals="flush")]


def numbers(number_format, rng, *shape):
    return round_to(number_format, rng.normal(size=shape).astype(working_type(number_format)))


def unit_sum(number_format, pixel, weights):
    """Bits of the sums over the channels, one after the other, from +0 on."""
    total = np.zeros(weights.shape[1], np.int64)
    for one, row in zip(pixel, weights, strict=True):
        total = add(number_format, total, multiply(number_format, one, row))
    return total


@settings(max_examples=25)
@given(data())
def test_order_of_a_convolution(drawn):
    shape, number_format = drawn.draw(convolutions()), drawn.draw(sampled_from(FORMATS))
    rng = np.random.default_rng(drawn.draw(integers(0, 1000)))
    picture = numbers(number_format, rng, *shape.picture, shape.input_channels)
    kernels = numbers(number_format, rng, *shape.kernel, shape.input_channels, shape.output_channels)
    bias = numbers(number_format, rng, shape.output_channels)
    outputs = to_bits(number_format, convolution(number_format, shape, picture, kernels, bias))
    picture, kernels, bias = (to_bits(number_format, array) for array in (picture, kernels, bias))
    for row, column in np.ndindex(shape.output):
        total = bias
        for element in np.ndindex(shape.kernel):
            x, y = (
                place * stride + offset - before
                for place, stride, offset, (before, _) in zip(
                    (row, column), shape.stride, element, shape.padding, strict=True
                )
            )
            if 0 <= x < shape.picture[0] and 0 <= y < shape.picture[1]:
                total = add(number_format, total, unit_sum(number_format, picture[x, y], kernels[element]))
        assert outputs[row, column].tolist() == total.tolist()


@settings(max_examples=25)
@given(data())
def test_order_of_the_scratchpad(drawn):
    """Order of the cores: in each round pixel after pixel, the last one first, all cores on the same one."""
    shape, number_format = drawn.draw(shapes.fractionally_strided()), drawn.draw(sampled_from(FORMATS))
    cores, rng = drawn.draw(integers(1, 7)), np.random.default_rng(drawn.draw(integers(0, 1000)))
    picture = numbers(number_format, rng, *shape.picture, shape.input_channels)
    kernels = numbers(number_format, rng, *shape.kernel, shape.input_channels, shape.output_channels)
    bias = numbers(number_format, rng, shape.output_channels)
    outputs = fractionally_strided(number_format, shape, picture, kernels, bias, cores)
    picture, kernels, bias = (to_bits(number_format, array) for array in (picture, kernels, bias))
    sides = [max(full, before + size) for full, (before, _), size in
             zip(shape.full, shape.padding, shape.output, strict=True)]  # fmt: skip
    scratchpad = np.broadcast_to(bias, (*sides, shape.output_channels)).copy()
    height, width = shape.kernel
    for turn in range(-(-height * width // cores)):
        for x, y in reversed(list(np.ndindex(shape.picture))):
            for number in range(turn * cores, min((turn + 1) * cores, height * width)):
                row, column = divmod(number, width)
                place = row + x * shape.stride[0], column + y * shape.stride[1]
                patch = unit_sum(number_format, picture[x, y], kernels[row, column])
                scratchpad[place] = add(number_format, scratchpad[place], patch)
    (top, _), (left, _) = shape.padding
    rows, columns = shape.output
    np.testing.assert_array_equal(to_bits(number_format, outputs), scratchpad[top : top + rows, left : left + columns])


@settings(max_examples=25)
@given(data())
def test_order_of_the_gradients_by_weights(drawn):
    shape, number_format = drawn.draw(convolutions()), drawn.draw(sampled_from(FORMATS))
    rng = np.random.default_rng(drawn.draw(integers(0, 1000)))
    pictures = numbers(number_format, rng, 2, *shape.picture, shape.input_channels)
    errors = numbers(number_format, rng, 2, *shape.output, shape.output_channels)
    weights = biases = None
    for picture, error in zip(pictures, errors, strict=True):
        weights = weight_gradient(number_format, shape, picture, error, weights)
        biases = bias_gradient(number_format, error, biases)
    pictures, errors = to_bits(number_format, pictures), to_bits(number_format, errors)
    for element in np.ndindex(shape.kernel):
        total = np.zeros((shape.input_channels, shape.output_channels), int)
        for number, row, column in np.ndindex(2, *shape.output):
            x, y = (
                place * stride + offset - before
                for place, stride, offset, (before, _) in zip(
                    (row, column), shape.stride, element, shape.padding, strict=True
                )
            )
            if 0 <= x < shape.picture[0] and 0 <= y < shape.picture[1]:
                products = multiply(number_format, pictures[number, x, y][:, None], errors[number, row, column])
                total = add(number_format, total, products)
        np.testing.assert_array_equal(to_bits(number_format, weights)[element], total)
    total = np.zeros(shape.output_channels, int)
    for pixel in errors.reshape(-1, shape.output_channels):
        total = add(number_format, total, pixel)
    np.testing.assert_array_equal(to_bits(number_format, biases), total)


@given(data())
def test_same_as_autograd(drawn):
    """Small integers, whose sums binary32 holds exactly in any order."""
    shape, rng = drawn.draw(convolutions()), np.random.default_rng(drawn.draw(integers(0, 1000)))
    picture, kernels, bias, errors = (
        rng.integers(-8, 9, size).astype(np.float32)
        for size in (
            (*shape.picture, shape.input_channels),
            (*shape.kernel, shape.input_channels, shape.output_channels),
            (shape.output_channels,),
            (*shape.output, shape.output_channels),
        )
    )
    outputs, inputs, weights, biases = torch_gradients(shape, picture, kernels, bias, errors)
    np.testing.assert_array_equal(convolution(BINARY32, shape, picture, kernels, bias), outputs)
    np.testing.assert_array_equal(input_gradient(BINARY32, shape, errors, kernels, 3), inputs)
    np.testing.assert_array_equal(weight_gradient(BINARY32, shape, picture, errors), weights)
    np.testing.assert_array_equal(bias_gradient(BINARY32, errors), biases)


def test_zeros_that_are_not_multiplied():
    """An infinity beside padding and inserted zeros makes no NaN."""
    picture = np.full((2, 2, 1), np.inf, np.float32)
    kernels = np.ones((3, 3, 1, 1), np.float32)
    down = ConvolutionShape(
        input_channels=1, output_channels=1, picture=(2, 2), kernel=(3, 3), padding=((1, 1), (1, 1))
    )
    up = FractionallyStridedShape(input_channels=1, output_channels=1, picture=(2, 2), kernel=(3, 3), stride=(3, 3))
    assert (convolution(BINARY32, down, picture, kernels) == np.inf).all()
    assert (fractionally_strided(BINARY32, up, picture, kernels) == np.inf).all()


def test_refuses():
    shape = ConvolutionShape(input_channels=1, output_channels=1, picture=(2, 2), kernel=(1, 1))
    picture, kernels = np.ones((2, 2, 1), np.float32), np.ones((1, 1, 1, 1), np.float32)
    with pytest.raises(TypeError, match="^Picture must be of the type float32, not float64$"):
        convolution(BINARY32, shape, picture.astype(float), kernels)
    with pytest.raises(ValueError, match="^Kernels must be numbers of binary16, not 1.000"):
        convolution(BINARY16, shape, picture, kernels + np.float32(2**-20))
    with pytest.raises(ValueError, match=r"^Bias must have the shape \(1,\), not \(2,\)$"):
        convolution(BINARY32, shape, picture, kernels, np.ones(2, np.float32))
    with pytest.raises(ValueError, match=r"^Errors must have the shape \(2, 2, 1\), not \(2, 1, 1\)$"):
        weight_gradient(BINARY32, shape, picture, picture[:, :1])
