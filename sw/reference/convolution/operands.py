"""Helpers of all algorithms: checks of their operands, and pictures with zeros around them.

A picture is an array (rows, columns, channels); as (rows * columns, channels) it is the 3-D tensor layout. Kernels are
an array (K1, K2, C_in, C_out): as (K1 * K2 * C_in, C_out) the weights of im2col, as K1 * K2 matrices those of kn2row.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape
from ..arrays import IntegerArray

__all__ = ["Scalar", "cut", "integer_operands", "overlap", "require_operands", "require_shape"]

Scalar = TypeVar("Scalar", bound=np.generic)


def require_shape(name: str, array: NDArray[Scalar], shape: tuple[int, ...]) -> None:
    """Raise ValueError unless an array has a shape."""
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, not {array.shape}")


def require_operands(
    shape: ConvolutionShape | FractionallyStridedShape, picture: NDArray[Scalar], kernels: NDArray[Scalar]
) -> None:
    """Raise ValueError unless a picture and kernels are those of a layer."""
    require_shape("Picture", picture, (*shape.picture, shape.input_channels))
    require_shape("Kernels", kernels, (*shape.kernel, shape.input_channels, shape.output_channels))


def integer_operands(
    shape: ConvolutionShape | FractionallyStridedShape, picture: IntegerArray, kernels: IntegerArray
) -> tuple[IntegerArray, IntegerArray]:
    """A layer's picture and kernels in int64.

    Raises
    ------
    TypeError
        Numbers that are no integers.
    ValueError
        Arrays of other shapes than the layer's.
    """
    for name, array in (("Picture", picture), ("Kernels", kernels)):
        if not np.issubdtype(array.dtype, np.integer):
            raise TypeError(f"{name} must be integers, not {array.dtype}")
    require_operands(shape, picture, kernels)
    return picture.astype(np.int64, copy=False), kernels.astype(np.int64, copy=False)


def cut(
    picture: NDArray[Scalar], start: tuple[int, int], size: tuple[int, int], fill: int | Scalar = 0
) -> NDArray[Scalar]:
    """``size`` rows and columns of a picture from ``start`` on, ``fill`` where they lie outside of it."""
    result = np.full((*size, *picture.shape[2:]), fill, picture.dtype)
    from_rows, to_rows = overlap(picture.shape[0], start[0], size[0])
    from_columns, to_columns = overlap(picture.shape[1], start[1], size[1])
    result[to_rows, to_columns] = picture[from_rows, from_columns]
    return result


def overlap(length: int, start: int, size: int) -> tuple[slice, slice]:
    """The part of ``size`` places from ``start`` on that an axis has: a slice of it, and one counted from ``start``."""
    low, high = max(start, 0), max(min(start + size, length), max(start, 0))
    return slice(low, high), slice(low - start, high - start)
