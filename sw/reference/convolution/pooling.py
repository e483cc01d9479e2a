"""Maximum and average of windows. Pictures are (H1, H2, C), outputs (O1, O2, C)."""

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.convolution.shape import PoolingShape
from ..arrays import IntegerArray
from .operands import Scalar, cut, require_shape
from .requantization import multipliers, requantize
from .toeplitz import windows

__all__ = ["average_multipliers", "average_pool", "divisors", "max_pool", "window_sums"]


def max_pool(shape: PoolingShape, picture: NDArray[Scalar]) -> NDArray[Scalar]:
    """The largest number of each window. Padding is never the largest."""
    return _windows(shape, picture, picture.min()).max(axis=(2, 3))


def window_sums(shape: PoolingShape, picture: NDArray[Scalar]) -> NDArray[Scalar]:
    """The sum of each window; padding is 0."""
    return _windows(shape, picture, 0).sum(axis=(2, 3))


def divisors(shape: PoolingShape, include_padding: bool) -> IntegerArray:
    """Divisors of the sum of each window, (O1, O2).

    Parameters
    ----------
    shape : PoolingShape
    include_padding : bool
        Whether pixels of the padding count, as PyTorch's ``count_include_pad``. Pixels that a window of the ceil mode
        has beyond the padding never count.
    """
    counts = []
    for picture, kernel, stride, (before, after), output in zip(
        shape.picture, shape.kernel, shape.stride, shape.padding, shape.output, strict=True
    ):
        starts = np.arange(output) * stride - before
        first, last = (-before, picture + after) if include_padding else (0, picture)
        counts.append(np.minimum(starts + kernel, last) - np.maximum(starts, first))
    return np.multiply.outer(counts[0], counts[1])


def average_multipliers(shape: PoolingShape, include_padding: bool, ratio: float = 1.0) -> tuple[IntegerArray, int]:
    """Multipliers (O1, O2, 1) of the windows' sums, and their shift: averages times ``ratio``."""
    words, shift = multipliers(ratio / divisors(shape, include_padding))
    return words[..., None], shift


def average_pool(
    shape: PoolingShape,
    picture: IntegerArray,
    *,
    multiplier: IntegerArray,
    shift: int,
    output_width: int = 8,
    accumulator_width: int = 32,
) -> tuple[IntegerArray, int]:
    """The average of each window, its sum times a multiplier, as :func:`.requantize` rounds; and how many saturated.

    The multiplier stands for a division to within 2**-16 of the result where all divisors are the same: results next to
    a tie may be rounded to the other side of it.
    """
    return requantize(
        window_sums(shape, picture),
        multiplier=multiplier,
        shift=shift,
        output_width=output_width,
        accumulator_width=accumulator_width,
    )


def _windows(shape: PoolingShape, picture: NDArray[Scalar], fill: int | Scalar) -> NDArray[Scalar]:
    """(O1, O2, K1, K2, C), ``fill`` where windows reach over the picture."""
    require_shape("Picture", picture, (*shape.picture, shape.channels))
    (top, _), (left, _) = shape.padding
    rows, columns = (
        (output - 1) * stride + kernel
        for output, stride, kernel in zip(shape.output, shape.stride, shape.kernel, strict=True)
    )
    return windows(cut(picture, (-top, -left), (rows, columns), fill), shape.kernel, shape.stride)
