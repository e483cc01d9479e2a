"""The Toeplitz layout, which im2col multiplies: for each output pixel its window, kernel row after kernel row."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ....hw.cores.convolution.shape import ConvolutionShape
from .operands import Scalar, cut, require_shape

__all__ = ["from_toeplitz", "to_toeplitz", "windows"]


def windows(picture: NDArray[Scalar], kernel: tuple[int, int], stride: tuple[int, int]) -> NDArray[Scalar]:
    """A view (O1, O2, K1, K2, C) of the windows of a picture that is padded already."""
    every = sliding_window_view(picture, kernel, axis=(0, 1))
    return every[:: stride[0], :: stride[1]].transpose(0, 1, 3, 4, 2)


def to_toeplitz(shape: ConvolutionShape, picture: NDArray[Scalar]) -> NDArray[Scalar]:
    """The Toeplitz matrix (O1 * O2, K1 * K2 * C_in) of a picture (H1, H2, C_in)."""
    require_shape("Picture", picture, (*shape.picture, shape.input_channels))
    return windows(padded(shape, picture), shape.kernel, shape.stride).reshape(shape.output[0] * shape.output[1], -1)


def from_toeplitz(shape: ConvolutionShape, matrix: NDArray[Scalar]) -> NDArray[Scalar]:
    """The picture (H1, H2, C_in) of a Toeplitz matrix; pixels that are in no window are 0.

    Raises
    ------
    ValueError
        A matrix of another shape, or one that is no picture's: copies of a pixel differ, or padding is not 0.
    """
    (rows, columns), (height, width) = shape.output, shape.kernel
    require_shape("Matrix", matrix, (rows * columns, height * width * shape.input_channels))
    copies = matrix.reshape(rows, columns, height, width, shape.input_channels)
    sides = [length + sum(padding) for length, padding in zip(shape.picture, shape.padding, strict=True)]
    picture = np.zeros((*sides, shape.input_channels), matrix.dtype)
    for row in range(height):
        for column in range(width):
            picture[
                row : row + rows * shape.stride[0] : shape.stride[0],
                column : column + columns * shape.stride[1] : shape.stride[1],
            ] = copies[:, :, row, column]
    picture = cut(picture, (shape.padding[0][0], shape.padding[1][0]), shape.picture)
    if not np.array_equal(to_toeplitz(shape, picture), matrix):
        raise ValueError(
            "Matrix must be the Toeplitz matrix of a picture: copies of a pixel differ, or padding is not 0"
        )
    return picture


def padded(shape: ConvolutionShape, picture: NDArray[Scalar]) -> NDArray[Scalar]:
    """A picture with its zeros around it."""
    (top, bottom), (left, right) = shape.padding
    rows, columns = shape.picture
    return cut(picture, (-top, -left), (rows + top + bottom, columns + left + right))
