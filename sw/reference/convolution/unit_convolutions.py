"""The K1 * K2 unit convolutions that kn2row makes of a convolution."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from ....hw.cores.convolution.shape import ConvolutionShape

__all__ = ["UnitConvolution", "unit_convolutions"]


@dataclass(frozen=True)
class UnitConvolution:
    """One kernel element's part: the products of ``kernels[element]`` and ``inputs`` are added to ``outputs``.

    Parameters
    ----------
    element : pair of int
        Row and column in the kernel.
    inputs : pair of slice
        Rows and columns of the picture: those that padding and stride bring together with an output pixel.
    outputs : pair of slice
        As many rows and columns of the output.
    """

    element: tuple[int, int]
    inputs: tuple[slice, slice]
    outputs: tuple[slice, slice]


def unit_convolutions(shape: ConvolutionShape) -> Iterator[UnitConvolution]:
    """The unit convolutions of a layer in the raster order of the kernel; some reach no pixel at all."""
    for row, column in product(*(range(kernel) for kernel in shape.kernel)):
        rows, columns = _axis(shape, 0, row), _axis(shape, 1, column)
        yield UnitConvolution((row, column), (rows[0], columns[0]), (rows[1], columns[1]))


def _axis(shape: ConvolutionShape, axis: int, element: int) -> tuple[slice, slice]:
    """Input pixels of one axis, every S-th one, and the output pixels that they belong to."""
    stride, before = shape.stride[axis], shape.padding[axis][0]
    first = max(0, -((element - before) // stride))
    last = min(shape.output[axis] - 1, (shape.picture[axis] - 1 + before - element) // stride)
    count = max(0, last - first + 1)
    start = first * stride + element - before
    return slice(start, start + count * stride, stride), slice(first, first + count)
