"""Fractionally strided convolution in integers, directly and by kn2row with a scratchpad.

Pictures are (rows, columns, C_in), kernels (K1, K2, C_in, C_out) as :class:`.FractionallyStridedShape` has them;
PyTorch has the same kernels as (C_in, C_out, K1, K2). Outputs are exact sums (rows, columns, C_out), without a bias.

The direct way inserts S - 1 zeros between the pixels, puts K - 1 around them, and convolves with the kernel turned by
half a turn (lemma 1 of section 3.2). kn2row multiplies each pixel by each kernel element, and no zero ever: unit
convolution q = a * n + b, that of core b in round a, adds its patch to a scratchpad at addresses a stride apart. Kernel
elements are counted as PyTorch counts them; the source counts those of the turned kernel (docs/decisions/0014).
"""

from collections.abc import Callable
from math import ceil

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.checks import require_integer
from ....hw.cores.convolution.shape import FractionallyStridedShape
from ..arrays import IntegerArray
from .algorithms import matrix_product
from .operands import Scalar, cut, integer_operands, require_shape
from .toeplitz import windows

__all__ = ["accumulate", "addresses", "direct", "kernel_element", "kn2row", "stretched"]


def stretched(shape: FractionallyStridedShape, picture: NDArray[Scalar]) -> NDArray[Scalar]:
    """The picture with its inserted zeros and its padding: that of a convolution of stride 1 to the output."""
    require_shape("Picture", picture, (*shape.picture, picture.shape[-1]))
    rows, columns = ((size - 1) * stride + 1 for size, stride in zip(shape.picture, shape.stride, strict=True))
    inserted = np.zeros((rows, columns, picture.shape[-1]), picture.dtype)
    inserted[:: shape.stride[0], :: shape.stride[1]] = picture
    top, left = (before + 1 - kernel for kernel, (before, _) in zip(shape.kernel, shape.padding, strict=True))
    height, width = (output + kernel - 1 for output, kernel in zip(shape.output, shape.kernel, strict=True))
    return cut(inserted, (top, left), (height, width))


def direct(shape: FractionallyStridedShape, picture: IntegerArray, kernels: IntegerArray) -> IntegerArray:
    """A convolution of stride 1 over the stretched picture."""
    picture, kernels = integer_operands(shape, picture, kernels)
    return np.tensordot(windows(stretched(shape, picture), shape.kernel, (1, 1)), kernels[::-1, ::-1], 3)


def kn2row(
    shape: FractionallyStridedShape, picture: IntegerArray, kernels: IntegerArray, cores: int = 1
) -> IntegerArray:
    """K1 * K2 unit convolutions of the picture as it is, ``cores`` in a round, accumulated in the scratchpad."""
    picture, kernels = integer_operands(shape, picture, kernels)
    pixels = picture.reshape(-1, shape.input_channels)

    def unit_convolution(element: tuple[int, int]) -> IntegerArray:
        return matrix_product(pixels, kernels[element]).reshape(*shape.picture, shape.output_channels)

    start = np.zeros(shape.output_channels, np.int64)
    return accumulate(shape, start, unit_convolution, np.add, cores)


def kernel_element(shape: FractionallyStridedShape, turn: int, core: int, cores: int) -> tuple[int, int]:
    """Row and column in the kernel that a core works with in a round, in raster order."""
    row, column = divmod(turn * cores + core, shape.kernel[1])
    return row, column


def addresses(shape: FractionallyStridedShape, turn: int, core: int, cores: int) -> tuple[IntegerArray, IntegerArray]:
    """Rows of the scratchpad for every row x of the picture, columns for every column y: equations 3.12 and 3.13.

    ``index1 = (a * n + b) / K2 + x * S1`` and ``index2 = (a * n + b) % K2 + y * S2`` for round a and core b of n: the
    source's with its turned element. A pixel's products of one round go to different addresses, so that n cores never
    meet.
    """
    row, column = kernel_element(shape, turn, core, cores)
    rows, columns = (np.arange(size) * stride for size, stride in zip(shape.picture, shape.stride, strict=True))
    return row + rows, column + columns


def accumulate(
    shape: FractionallyStridedShape,
    start: NDArray[Scalar],
    unit_convolution: Callable[[tuple[int, int]], NDArray[Scalar]],
    add: Callable[[NDArray[Scalar], NDArray[Scalar]], NDArray[Scalar]],
    cores: int,
) -> NDArray[Scalar]:
    """The scratchpad after all rounds, its padding cropped.

    Every address is added to in the order of rounds, and of the cores of a round. Pixels that come from the last one to
    the first also come in that order: at one address a later unit convolution of a round has an earlier pixel. So cores
    may work on one pixel after the other side by side, as those of the hardware do, and how many there are changes
    nothing.

    Parameters
    ----------
    shape : FractionallyStridedShape
    start : array (C_out,)
        What each pixel of the scratchpad begins with.
    unit_convolution : callable
        The patch (rows, columns, C_out) of a kernel element.
    add : callable
        The addition of the numbers' format.
    cores : int
        n, unit convolutions of a round.
    """
    require_integer("Cores", cores, 1)
    scratchpad = np.broadcast_to(start, (*shape.scratchpad, shape.output_channels)).copy()
    elements = shape.kernel[0] * shape.kernel[1]
    for turn in range(ceil(elements / cores)):
        for core in range(min(cores, elements - turn * cores)):
            place = np.ix_(*addresses(shape, turn, core, cores))
            patch = unit_convolution(kernel_element(shape, turn, core, cores))
            scratchpad[place] = add(scratchpad[place], patch)
    return cut(scratchpad, (shape.padding[0][0], shape.padding[1][0]), shape.output)
