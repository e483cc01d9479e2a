"""Every algorithm gives the sums of PyTorch's convolution, to the bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import data, sampled_from

from rewardware.hw.cores.convolution.shape import ConvolutionShape
from rewardware.sw.reference.convolution.algorithms import ALGORITHMS, direct, im2col, kn2row
from rewardware.sw.reference.convolution.toeplitz import from_toeplitz, to_toeplitz
from rewardware.sw.reference.convolution.winograd import (
    F23,
    F43,
    from_input_tiles,
    from_output_tiles,
    quotient,
    rounds,
    to_input_tiles,
    to_output_tiles,
)

from .shapes import convolutions, from_torch, operands, torch_convolution

TRANSFORMS = sampled_from([F23, F43])


def expected(shape, picture, kernels):
    return from_torch(torch_convolution(shape, picture.astype(np.float64), kernels.astype(np.float64)))


@settings(max_examples=150)
@given(data())
def test_same_sums_as_pytorch(drawn):
    shape = drawn.draw(convolutions())
    picture, kernels = drawn.draw(operands(shape, drawn.draw(sampled_from([8, 16]))))
    sums = expected(shape, picture, kernels)
    for name, algorithm in ALGORITHMS.items():
        if shape.stride == (1, 1) or "winograd" not in name:
            np.testing.assert_array_equal(algorithm(shape, picture, kernels), sums, name)


@pytest.mark.parametrize("kernel", [(1, 1), (1, 7), (7, 1), (3, 3), (2, 5), (11, 11)])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_corner_values(name, kernel):
    """-128 everywhere: the largest sums, of both signs within the transforms."""
    shape = ConvolutionShape(
        input_channels=5, output_channels=2, picture=(9, 6), kernel=kernel, padding=((2, 0), (3, 5))
    )
    picture = np.full((9, 6, 5), -128, np.int8)
    kernels = np.full((*kernel, 5, 2), -128, np.int8)
    np.testing.assert_array_equal(ALGORITHMS[name](shape, picture, kernels), expected(shape, picture, kernels))


def test_a_large_layer():
    """conv2 of GoogLeNet: 347 million products."""
    shape = ConvolutionShape(
        input_channels=64, output_channels=192, picture=(56, 56), kernel=(3, 3), padding=((1, 1), (1, 1))
    )
    rng = np.random.default_rng(1)
    picture = rng.integers(-128, 128, (56, 56, 64))
    kernels = rng.integers(-128, 128, (3, 3, 64, 192))
    first, *others = (ALGORITHMS[name](shape, picture, kernels) for name in ALGORITHMS if name != "direct")
    for sums in others:
        np.testing.assert_array_equal(sums, first)
    exact = torch_convolution(shape, picture.astype(np.float64), kernels[..., :1].astype(np.float64))
    np.testing.assert_array_equal(first[..., :1], from_torch(exact))


@given(data())
def test_toeplitz_there_and_back(drawn):
    shape = drawn.draw(convolutions())
    picture, _ = drawn.draw(operands(shape))
    matrix = to_toeplitz(shape, picture)
    back = from_toeplitz(shape, matrix)
    (top, _), (left, _) = shape.padding
    for row, column in np.ndindex(shape.picture):
        reached = all(
            any((place + before - element) % stride == 0 and 0 <= (place + before - element) // stride < output
                for element in range(kernel))
            for place, before, kernel, stride, output in zip(
                (row, column), (top, left), shape.kernel, shape.stride, shape.output, strict=True
            )
        )  # fmt: skip
        assert back[row, column].tolist() == (picture[row, column] if reached else 0 * picture[row, column]).tolist()


def test_the_order_of_the_toeplitz_matrix():
    """A window is contiguous rows of K2 * C numbers."""
    shape = ConvolutionShape(input_channels=2, output_channels=1, picture=(3, 4), kernel=(2, 3))
    picture = np.arange(24).reshape(3, 4, 2)
    flat = picture.reshape(-1)
    np.testing.assert_array_equal(to_toeplitz(shape, picture)[3], np.r_[flat[10:16], flat[18:24]])


def test_a_matrix_that_is_no_pictures_is_refused():
    shape = ConvolutionShape(
        input_channels=1, output_channels=1, picture=(2, 2), kernel=(2, 2), padding=((1, 0), (0, 0))
    )
    matrix = to_toeplitz(shape, np.ones((2, 2, 1), int))
    for place in ((0, 0), (0, 2)):
        broken = matrix.copy()
        broken[place] += 1
        with pytest.raises(ValueError, match="^Matrix must be the Toeplitz matrix of a picture"):
            from_toeplitz(shape, broken)


@given(data())
def test_tiles_there_and_back(drawn):
    shape, transform = drawn.draw(convolutions(largest_stride=1)), drawn.draw(TRANSFORMS)
    picture, _ = drawn.draw(operands(shape))
    total, covered = np.zeros_like(picture), np.zeros_like(picture)
    for turn in rounds(transform, shape):
        tiles = to_input_tiles(transform, shape, picture, turn)
        assert tiles.shape[2] == np.prod(transform.tiles(shape))
        total += from_input_tiles(transform, shape, tiles, turn)
        covered += from_input_tiles(
            transform, shape, to_input_tiles(transform, shape, np.ones_like(picture), turn), turn
        )
    assert covered.all()
    np.testing.assert_array_equal(total, picture * covered)
    output = np.arange(np.prod(shape.output) * 2).reshape(*shape.output, 2)
    np.testing.assert_array_equal(
        from_output_tiles(transform, shape, to_output_tiles(transform, shape, output)), output
    )


def test_tiles_that_are_no_pictures_are_refused():
    shape = ConvolutionShape(input_channels=1, output_channels=1, picture=(6, 6), kernel=(3, 3))
    tiles = to_input_tiles(F23, shape, np.ones((6, 6, 1), int)).copy()
    tiles[0, 3, 0] += 1
    with pytest.raises(ValueError, match="^Tiles must be those of a picture"):
        from_input_tiles(F23, shape, tiles)


@pytest.mark.parametrize(("transform", "widths"), [(F23, (10, 12)), (F43, (15, 18))])
def test_widths_of_transformed_operands(transform, widths):
    """Widths for INT8: the sign pattern of a result's factors makes it largest, the opposite one least."""
    assert transform.operand_widths(8, 8) == widths
    for matrix, method, width in (
        (transform.inputs, transform.transform_inputs, widths[0]),
        (transform.kernels, transform.transform_kernels, widths[1]),
    ):
        signs = np.sign(np.einsum("ai,bj->ijab", matrix, matrix)).reshape(*(matrix.shape[1],) * 2, -1)
        largest, least = method(np.where(signs > 0, 127, -128)).max(), method(np.where(signs > 0, -128, 127)).min()
        assert -(1 << width - 1) <= least and largest < 1 << width - 1
        assert least < -(1 << width - 2) or largest >= 1 << width - 2


@given(data())
def test_division_of_sums_that_wrapped(drawn):
    """Accumulators of 32 bits may wrap on the way: the convolution itself must fit what the shift leaves."""
    transform = drawn.draw(TRANSFORMS)
    rng = np.random.default_rng(drawn.draw(sampled_from(range(1000))))
    bits = 30 if transform is F23 else 26
    numbers = rng.integers(-(1 << bits - 1), 1 << bits - 1, 20)
    numbers[:2] = -(1 << bits - 1), (1 << bits - 1) - 1
    wrapped = (numbers * transform.divisor).astype(np.int32).astype(np.int64)
    np.testing.assert_array_equal(quotient(wrapped, transform.divisor, 32), numbers)
    np.testing.assert_array_equal(quotient(numbers * transform.divisor, transform.divisor), numbers)


def test_refuses():
    shape = ConvolutionShape(input_channels=1, output_channels=1, picture=(4, 4), kernel=(3, 3), stride=(1, 2))
    picture, kernels = np.zeros((4, 4, 1), int), np.zeros((3, 3, 1, 1), int)
    with pytest.raises(ValueError, match=r"^Stride must be \(1, 1\) for Winograd, not \(1, 2\)$"):
        ALGORITHMS["winograd-2-3"](shape, picture, kernels)
    with pytest.raises(TypeError, match="^Picture must be integers, not float64$"):
        direct(shape, picture.astype(float), kernels)
    with pytest.raises(ValueError, match=r"^Kernels must have the shape \(3, 3, 1, 1\), not \(3, 3, 1, 2\)$"):
        im2col(shape, picture, np.zeros((3, 3, 1, 2), int))
    with pytest.raises(ValueError, match=r"^Picture must have the shape \(4, 4, 1\), not \(4, 5, 1\)$"):
        kn2row(shape, np.zeros((4, 5, 1), int), kernels)
    with pytest.raises(ValueError, match="^Sums must be multiples of 576$"):
        quotient(np.array([575]), 576)
