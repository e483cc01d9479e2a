"""Pooling against PyTorch."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis.strategies import booleans, composite, integers, tuples

from rewardware.hw.cores.convolution.shape import PoolingShape
from rewardware.sw.reference.convolution.pooling import (
    average_multipliers,
    average_pool,
    divisors,
    max_pool,
    window_sums,
)

from .shapes import from_torch, to_torch


@composite
def poolings(draw, symmetric=True):
    """PyTorch pads both sides alike, by half of the kernel at most; otherwise what it can do on a padded picture."""
    picture, kernel, stride = (draw(tuples(integers(1, most), integers(1, most))) for most in (9, 5, 4))
    if symmetric:
        sides = [draw(integers(0, length // 2)) for length in kernel]
        padding = tuple((side, side) for side in sides)
    else:
        padding = tuple((draw(integers(0, length - 1)), draw(integers(0, length - 1))) for length in kernel)
    assume(all(p + sum(pads) >= k for p, pads, k in zip(picture, padding, kernel, strict=True)))
    return PoolingShape(
        channels=draw(integers(1, 3)),
        picture=picture,
        kernel=kernel,
        stride=stride,
        padding=padding,
        ceil_mode=symmetric and draw(booleans()),
    )


def pictures(shape, seed):
    return np.random.default_rng(seed).integers(-128, 128, (*shape.picture, shape.channels))


@settings(max_examples=150)
@given(poolings(), booleans(), integers(0, 1000))
def test_same_as_pytorch(shape, include_padding, seed):
    picture = pictures(shape, seed)
    batch = to_torch(picture.astype(np.float64))
    options = {"kernel_size": shape.kernel, "stride": shape.stride, "padding": tuple(pads[0] for pads in shape.padding)}
    options["ceil_mode"] = shape.ceil_mode
    largest = from_torch(torch.nn.functional.max_pool2d(batch, **options))
    np.testing.assert_array_equal(max_pool(shape, picture), largest)
    np.testing.assert_array_equal(max_pool(shape, picture.astype(np.float32)), largest)
    average = from_torch(torch.nn.functional.avg_pool2d(batch, **options, count_include_pad=include_padding))
    exact = window_sums(shape, picture) / divisors(shape, include_padding)[..., None]
    np.testing.assert_allclose(exact, average, rtol=1e-12)
    multiplier, shift = average_multipliers(shape, include_padding)
    words, saturated = average_pool(shape, picture, multiplier=multiplier, shift=shift)
    # Half a unit of rounding, and of the multiplier half of what is 2**16 units or more for the least divisor.
    sums = np.abs(window_sums(shape, picture))
    assert (np.abs(words - average) <= 0.5 + sums * 2.0**-16 / divisors(shape, include_padding).min()).all()
    assert not saturated


@given(poolings(symmetric=False), integers(0, 1000))
def test_padding_of_each_side(shape, seed):
    picture = pictures(shape, seed)
    (top, bottom), (left, right) = shape.padding
    batch = to_torch(picture.astype(np.float64))
    window = {"kernel_size": shape.kernel, "stride": shape.stride}

    def surrounded(value, of=batch):
        return torch.nn.functional.pad(of, (left, right, top, bottom), value=value)

    largest = torch.nn.functional.max_pool2d(surrounded(-torch.inf), **window)
    np.testing.assert_array_equal(max_pool(shape, picture), from_torch(largest))
    sums = torch.nn.functional.avg_pool2d(surrounded(0.0), **window, divisor_override=1)
    np.testing.assert_array_equal(window_sums(shape, picture), from_torch(sums))
    pixels = torch.nn.functional.avg_pool2d(surrounded(0.0, torch.ones_like(batch)), **window, divisor_override=1)
    np.testing.assert_array_equal(divisors(shape, False), from_torch(pixels)[..., 0])
    assert (divisors(shape, True) == np.prod(shape.kernel)).all()


@pytest.mark.parametrize("ratio", [1.0, 0.37])
def test_a_global_average(ratio):
    """7 x 7 pixels at their largest and least, and another scale after them."""
    shape = PoolingShape(channels=2, picture=(7, 7), kernel=(7, 7))
    picture = np.empty((7, 7, 2), np.int64)
    picture[..., 0], picture[..., 1] = -128, 127
    multiplier, shift = average_multipliers(shape, True, ratio)
    words, saturated = average_pool(shape, picture, multiplier=multiplier, shift=shift)
    assert words.reshape(-1).tolist() == [round(-128 * ratio), round(127 * ratio)] and not saturated


def test_padding_is_never_the_maximum():
    shape = PoolingShape(channels=1, picture=(2, 2), kernel=(3, 3), padding=((2, 2), (2, 2)))
    assert (max_pool(shape, np.full((2, 2, 1), -128)) == -128).all()


def test_refuses():
    shape = PoolingShape(channels=1, picture=(2, 2), kernel=(2, 2))
    with pytest.raises(ValueError, match=r"^Picture must have the shape \(2, 2, 1\), not \(2, 2, 3\)$"):
        max_pool(shape, np.zeros((2, 2, 3), int))
