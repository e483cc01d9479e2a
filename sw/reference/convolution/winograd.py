"""Winograd's minimal filtering in integers: transforms, tiles, and the exact division after them.

Y = A^T ((G g G^T) * (B^T d B)) A for tiles d of (m + r - 1)**2 pixels and kernels g of r * r. G has fractions; it is
scaled to integers here. So Y is ``divisor`` times the convolution, and a division without remainder undoes that. After
A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.

Input tiles are (m + r - 1)**2 matrices (tiles, C), an array of the shape (m + r - 1, m + r - 1, tiles, C); output tiles
are m**2 such matrices. Tiles are in raster order, and hold zeros where they reach over the padded picture. A kernel
larger than r * r is cut into sub-kernels of r * r with zeros after it, one for each *round*; the tiles of round (i, j)
lie i * r rows further down and j * r columns further right.
"""

from dataclasses import dataclass
from itertools import product
from math import ceil

import numpy as np

from ....hw.cores.convolution.shape import ConvolutionShape
from ..arrays import IntegerArray
from .operands import cut, require_shape
from .toeplitz import windows

__all__ = [
    "F23",
    "F43",
    "WinogradTransform",
    "from_input_tiles",
    "from_output_tiles",
    "quotient",
    "rounds",
    "sub_kernels",
    "to_input_tiles",
    "to_output_tiles",
]


@dataclass(frozen=True, eq=False)
class WinogradTransform:
    """The matrices of F(m, r).

    Parameters
    ----------
    name : str
    inputs : array (m + r - 1, m + r - 1)
        B^T.
    kernels : array (m + r - 1, r)
        ``scale * G``.
    outputs : array (m, m + r - 1)
        A^T.
    scale : int
        The factor that makes integers of G.
    """

    name: str
    inputs: IntegerArray
    kernels: IntegerArray
    outputs: IntegerArray
    scale: int

    @property
    def outputs_per_tile(self) -> int:
        """m, rows and columns of an output tile."""
        return self.outputs.shape[0]

    @property
    def kernel(self) -> int:
        """r, rows and columns of a kernel."""
        return self.kernels.shape[1]

    @property
    def tile(self) -> int:
        """m + r - 1, rows and columns of an input tile."""
        return self.outputs.shape[1]

    @property
    def divisor(self) -> int:
        """Divisor of the sums: the scale of both axes."""
        return self.scale**2

    def tiles(self, shape: ConvolutionShape) -> tuple[int, int]:
        """Rows and columns of tiles that a layer's output takes; raises ValueError where its stride is not 1."""
        if shape.stride != (1, 1):
            raise ValueError(f"Stride must be (1, 1) for Winograd, not {shape.stride}")
        rows, columns = (ceil(output / self.outputs_per_tile) for output in shape.output)
        return rows, columns

    def transform_inputs(self, tiles: IntegerArray) -> IntegerArray:
        """``B^T d B`` of tiles (m + r - 1, m + r - 1, ...)."""
        return _both_axes(self.inputs, tiles)

    def transform_kernels(self, kernels: IntegerArray) -> IntegerArray:
        """``divisor * G g G^T`` of kernels (r, r, ...): (m + r - 1, m + r - 1, ...)."""
        return _both_axes(self.kernels, kernels)

    def transform_outputs(self, sums: IntegerArray) -> IntegerArray:
        """``A^T M A`` of sums (m + r - 1, m + r - 1, ...): (m, m, ...)."""
        return _both_axes(self.outputs, sums)

    def operand_widths(self, input_width: int, weight_width: int) -> tuple[int, int]:
        """Bits, two's complement, that transformed inputs and weights of so many bits take."""
        return _transformed_width(self.inputs, input_width), _transformed_width(self.kernels, weight_width)


def quotient(sums: IntegerArray, divisor: int, width: int = 64) -> IntegerArray:
    """``sums / divisor`` where nothing remains: a shift, and a product with the inverse of the odd factor.

    Parameters
    ----------
    sums : array of int64
        Multiples of ``divisor``, of which the low ``width`` bits are known: accumulators may have wrapped.
    divisor : int
        ``2**shift`` times an odd factor, 1 for F(2, 3), 9 for F(4, 3).
    width : int
        Bits of the accumulators.

    Returns
    -------
    array of int64
        The quotients, right where they fit ``width - shift`` bits, two's complement.

    Raises
    ------
    ValueError
        Sums that are no multiples of ``2**shift``.
    """
    shift = (divisor & -divisor).bit_length() - 1
    if (sums & (1 << shift) - 1).any():
        raise ValueError(f"Sums must be multiples of {divisor}")
    bits = width - shift
    unsigned = (sums >> shift).astype(np.uint64) * np.uint64(pow(divisor >> shift, -1, 1 << bits))
    return (unsigned << np.uint64(64 - bits)).astype(np.int64) >> (64 - bits)


def rounds(transform: WinogradTransform, shape: ConvolutionShape) -> list[tuple[int, int]]:
    """The rounds of a layer in raster order: one for each sub-kernel."""
    rows, columns = (range(ceil(kernel / transform.kernel)) for kernel in shape.kernel)
    return list(product(rows, columns))


def sub_kernels(transform: WinogradTransform, kernels: IntegerArray, turn: tuple[int, int]) -> IntegerArray:
    """The sub-kernels (r, r, C_in, C_out) of a round."""
    return cut(kernels, (turn[0] * transform.kernel, turn[1] * transform.kernel), (transform.kernel,) * 2)


def to_input_tiles(
    transform: WinogradTransform, shape: ConvolutionShape, picture: IntegerArray, turn: tuple[int, int] = (0, 0)
) -> IntegerArray:
    """The input tiles of a round, not yet transformed, of a picture (H1, H2, C)."""
    require_shape("Picture", picture, (*shape.picture, picture.shape[-1]))
    start, size = _tiled_region(transform, shape, turn)
    every = windows(cut(picture, start, size), (transform.tile,) * 2, (transform.outputs_per_tile,) * 2)
    return every.reshape(-1, transform.tile, transform.tile, picture.shape[-1]).transpose(1, 2, 0, 3)


def from_input_tiles(
    transform: WinogradTransform, shape: ConvolutionShape, tiles: IntegerArray, turn: tuple[int, int] = (0, 0)
) -> IntegerArray:
    """The picture (H1, H2, C) of its input tiles of a round; pixels that are in no tile are 0.

    Raises
    ------
    ValueError
        Tiles of another shape, or tiles that are no picture's: copies of a pixel differ, or padding is not 0.
    """
    rows, columns = transform.tiles(shape)
    require_shape("Tiles", tiles, (transform.tile, transform.tile, rows * columns, tiles.shape[-1]))
    start, size = _tiled_region(transform, shape, turn)
    region = np.zeros((*size, tiles.shape[-1]), tiles.dtype)
    step = transform.outputs_per_tile
    for row, column in product(range(transform.tile), repeat=2):
        copies = tiles[row, column].reshape(rows, columns, -1)
        region[row : row + rows * step : step, column : column + columns * step : step] = copies
    picture = cut(region, (-start[0], -start[1]), shape.picture)
    if not np.array_equal(to_input_tiles(transform, shape, picture, turn), tiles):
        raise ValueError("Tiles must be those of a picture: copies of a pixel differ, or padding is not 0")
    return picture


def from_output_tiles(transform: WinogradTransform, shape: ConvolutionShape, tiles: IntegerArray) -> IntegerArray:
    """The output (O1, O2, C_out) of its tiles; what they have beyond it is dropped."""
    rows, columns = transform.tiles(shape)
    step = transform.outputs_per_tile
    require_shape("Tiles", tiles, (step, step, rows * columns, tiles.shape[-1]))
    whole = tiles.reshape(step, step, rows, columns, -1).transpose(2, 0, 3, 1, 4)
    whole = whole.reshape(rows * step, columns * step, -1)
    return whole[: shape.output[0], : shape.output[1]]


def to_output_tiles(transform: WinogradTransform, shape: ConvolutionShape, output: IntegerArray) -> IntegerArray:
    """The tiles (m, m, tiles, C_out) of an output; zeros where they reach over it."""
    require_shape("Output", output, (*shape.output, output.shape[-1]))
    rows, columns = transform.tiles(shape)
    step = transform.outputs_per_tile
    whole = cut(output, (0, 0), (rows * step, columns * step)).reshape(rows, step, columns, step, -1)
    return whole.transpose(1, 3, 0, 2, 4).reshape(step, step, rows * columns, -1)


def _tiled_region(
    transform: WinogradTransform, shape: ConvolutionShape, turn: tuple[int, int]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where in the picture the tiles of a round begin, and how many rows and columns they cover."""
    (top, _), (left, _) = shape.padding
    start = turn[0] * transform.kernel - top, turn[1] * transform.kernel - left
    rows, columns = (count * transform.outputs_per_tile + transform.kernel - 1 for count in transform.tiles(shape))
    return start, (rows, columns)


def _both_axes(matrix: IntegerArray, tiles: IntegerArray) -> IntegerArray:
    """``matrix @ tile @ matrix.T`` of tiles in the first two axes."""
    half = np.tensordot(matrix, tiles, (1, 0))
    return np.moveaxis(np.tensordot(matrix, half, (1, 1)), 0, 1)


def _transformed_width(matrix: IntegerArray, width: int) -> int:
    low, high = -(1 << width - 1), (1 << width - 1) - 1
    factors = np.einsum("ai,bj->abij", matrix, matrix).reshape(-1, matrix.shape[1] ** 2)
    positive, negative = np.maximum(factors, 0).sum(1), np.maximum(-factors, 0).sum(1)
    greatest = (positive * high - negative * low).max()
    least = (positive * low - negative * high).min()
    return int(max(greatest, -least - 1)).bit_length() + 1


F23 = WinogradTransform(
    name="F(2, 3)",
    inputs=np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]),
    kernels=np.array([[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]]),
    outputs=np.array([[1, 1, 1, 0], [0, 1, -1, -1]]),
    scale=2,
)

F43 = WinogradTransform(
    name="F(4, 3)",
    inputs=np.array(
        [
            [4, 0, -5, 0, 1, 0],
            [0, -4, -4, 1, 1, 0],
            [0, 4, -4, -1, 1, 0],
            [0, -2, -1, 2, 1, 0],
            [0, 2, -1, -2, 1, 0],
            [0, 4, 0, -5, 0, 1],
        ]
    ),
    kernels=np.array([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]]),
    outputs=np.array([[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]]),
    scale=24,
)
