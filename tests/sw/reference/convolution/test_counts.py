"""Counts of multiplications against what the algorithms multiply when everything but inserted zeros is 1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import data, sampled_from

from rewardware.hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape
from rewardware.sw.reference.convolution import algorithms, fractional
from rewardware.sw.reference.convolution.counts import im2col_counts, kn2row_counts, winograd_counts
from rewardware.sw.reference.convolution.toeplitz import to_toeplitz, windows
from rewardware.sw.reference.convolution.winograd import F23, F43, rounds, sub_kernels, to_input_tiles

from .shapes import convolutions, fractionally_strided


def ones(shape):
    kernels = np.ones((*shape.kernel, shape.input_channels, shape.output_channels), int)
    return np.ones((*shape.picture, shape.input_channels), int), kernels


@given(convolutions())
def test_convolutions(shape):
    picture, kernels = ones(shape)
    effective = algorithms.direct(shape, picture, kernels).sum()
    matrix = to_toeplitz(shape, picture)
    im2col = im2col_counts(shape)
    assert im2col.multiplications == matrix.size * shape.output_channels
    assert im2col.zeros == (matrix == 0).sum() * shape.output_channels
    assert im2col.effective == kn2row_counts(shape).multiplications == effective
    assert kn2row_counts(shape).zeros == kn2row_counts(shape).dropped == 0


@given(fractionally_strided())
def test_fractionally_strided(shape):
    picture, kernels = ones(shape)
    effective = fractional.direct(shape, picture, kernels).sum()
    factors = windows(fractional.stretched(shape, picture), shape.kernel, (1, 1))
    im2col, kn2row = im2col_counts(shape), kn2row_counts(shape)
    assert im2col.multiplications == factors.size * shape.output_channels
    assert im2col.zeros == (factors == 0).sum() * shape.output_channels
    assert im2col.effective == kn2row.effective == effective
    whole = FractionallyStridedShape(
        input_channels=shape.input_channels,
        output_channels=shape.output_channels,
        picture=shape.picture,
        kernel=shape.kernel,
        stride=shape.stride,
    )
    assert kn2row.multiplications == fractional.kn2row(whole, picture, kernels).sum() and not kn2row.zeros


@given(data())
def test_winograd(drawn):
    """Random reals, of which no sum is 0 by chance."""
    shape, transform = drawn.draw(convolutions(largest_stride=1)), drawn.draw(sampled_from([F23, F43]))
    rng = np.random.default_rng(1)
    picture = rng.normal(size=(*shape.picture, shape.input_channels))
    kernels = rng.normal(size=(*shape.kernel, shape.input_channels, shape.output_channels))
    every = zeros = 0
    for turn in rounds(transform, shape):
        inputs = transform.transform_inputs(to_input_tiles(transform, shape, picture, turn))
        weights = transform.transform_kernels(sub_kernels(transform, kernels, turn))
        products = inputs[..., None] * weights[:, :, None]
        every, zeros = every + products.size, zeros + (products == 0).sum()
    counts = winograd_counts(transform, shape)
    assert (counts.multiplications, counts.zeros, counts.dropped) == (every, zeros, 0)


@pytest.mark.parametrize(("stride", "kernel"), [(2, 4), (3, 3), (4, 8)])
def test_the_gain_is_near_the_square_of_the_stride(stride, kernel):
    """Section 3.2.4: (s (i - 1) + k)**2 / i**2 as many multiplications."""
    shape = FractionallyStridedShape(
        input_channels=2, output_channels=3, picture=(32, 32), kernel=(kernel,) * 2, stride=(stride,) * 2
    )
    im2col, kn2row = im2col_counts(shape), kn2row_counts(shape)
    assert kn2row.utilisation == 1
    assert kn2row.utilisation / im2col.utilisation == (stride * 31 + kernel) ** 2 / 32**2 > 0.95 * stride**2


def test_winograd_of_a_whole_picture():
    """F(2, 3) of 3 x 3 on even sizes: 16 products instead of 36 for four outputs."""
    shape = ConvolutionShape(input_channels=1, output_channels=1, picture=(10, 12), kernel=(3, 3))
    assert winograd_counts(F23, shape).multiplications * 36 == im2col_counts(shape).multiplications * 16
    assert not winograd_counts(F23, shape).zeros
