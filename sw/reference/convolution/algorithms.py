"""Four algorithms of a convolution in integers, whose results are bit-identical.

Pictures are (H1, H2, C_in), kernels (K1, K2, C_in, C_out), outputs (O1, O2, C_out): the exact sums, without a bias.
They must fit int64; :func:`.requantize` refuses those that do not fit an accumulator.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from ....hw.cores.convolution.shape import ConvolutionShape
from ..arrays import IntegerArray
from ..matrix import Operand, product
from .operands import integer_operands
from .toeplitz import padded, to_toeplitz, windows
from .unit_convolutions import unit_convolutions
from .winograd import (
    F23,
    F43,
    WinogradTransform,
    from_output_tiles,
    quotient,
    rounds,
    sub_kernels,
    to_input_tiles,
)

__all__ = ["ALGORITHMS", "Algorithm", "direct", "im2col", "kn2row", "matrix_product", "winograd"]

Algorithm = Callable[[ConvolutionShape, IntegerArray, IntegerArray], IntegerArray]


def matrix_product(left: IntegerArray, right: IntegerArray) -> IntegerArray:
    """The exact product of integer matrices."""
    return product(Operand(left), Operand(right))


def direct(shape: ConvolutionShape, picture: IntegerArray, kernels: IntegerArray) -> IntegerArray:
    """The definition: for every output pixel the products of its window and every kernel, summed up."""
    picture, kernels = integer_operands(shape, picture, kernels)
    return np.tensordot(windows(padded(shape, picture), shape.kernel, shape.stride), kernels, 3)


def im2col(shape: ConvolutionShape, picture: IntegerArray, kernels: IntegerArray) -> IntegerArray:
    """One product of the Toeplitz matrix (O1 * O2, K1 * K2 * C_in) and the weights (K1 * K2 * C_in, C_out)."""
    picture, kernels = integer_operands(shape, picture, kernels)
    sums = matrix_product(to_toeplitz(shape, picture), kernels.reshape(-1, shape.output_channels))
    return sums.reshape(*shape.output, shape.output_channels)


def kn2row(shape: ConvolutionShape, picture: IntegerArray, kernels: IntegerArray) -> IntegerArray:
    """K1 * K2 products with matrices (C_in, C_out), each added at the output pixels that it is shifted to.

    With a stride only the pixels of the input that land on the output's grid are multiplied.
    """
    picture, kernels = integer_operands(shape, picture, kernels)
    output = np.zeros((*shape.output, shape.output_channels), np.int64)
    for unit in unit_convolutions(shape):
        pixels = picture[unit.inputs]
        if pixels.size:
            patch = matrix_product(pixels.reshape(-1, shape.input_channels), kernels[unit.element])
            output[unit.outputs] += patch.reshape(*pixels.shape[:2], -1)
    return output


def winograd(
    transform: WinogradTransform, shape: ConvolutionShape, picture: IntegerArray, kernels: IntegerArray
) -> IntegerArray:
    """(m + r - 1)**2 products of transformed tiles (tiles, C_in) and weights (C_in, C_out), a set for each round.

    Sums of all rounds are added up before the one transform of the outputs.

    Raises
    ------
    ValueError
        The stride is not 1.
    """
    picture, kernels = integer_operands(shape, picture, kernels)
    rows, columns = transform.tiles(shape)
    sums = np.zeros((transform.tile, transform.tile, rows * columns, shape.output_channels), np.int64)
    for turn in rounds(transform, shape):
        tiles = transform.transform_inputs(to_input_tiles(transform, shape, picture, turn))
        weights = transform.transform_kernels(sub_kernels(transform, kernels, turn))
        for place in np.ndindex(transform.tile, transform.tile):
            sums[place] += matrix_product(tiles[place], weights[place])
    outputs = quotient(transform.transform_outputs(sums), transform.divisor)
    return from_output_tiles(transform, shape, outputs)


# By name, for those who choose one for each layer. The Winograd ones take no stride but 1.
ALGORITHMS: dict[str, Algorithm] = {
    "direct": direct,
    "im2col": im2col,
    "kn2row": kn2row,
    "winograd-2-3": partial(winograd, F23),
    "winograd-4-3": partial(winograd, F43),
}
