"""Algorithms of a convolution as matrix products, and the layouts in which they take the input and leave the output."""

import math
from dataclasses import dataclass
from enum import StrEnum

from ....hw.cores.checks import require_integer
from ....hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape

__all__ = [
    "IM2COL", "KN2ROW", "Algorithm", "Format", "Layout", "MatrixProducts", "Shape", "algorithms_of", "input_format",
    "matrix_products", "tensor",
]  # fmt: skip

Shape = ConvolutionShape | FractionallyStridedShape


class Layout(StrEnum):
    """How a feature map lies in memory."""

    TENSOR = "3-D tensor"
    TOEPLITZ = "Toeplitz"
    WINOGRAD = "Winograd"


@dataclass(frozen=True, kw_only=True)
class Format:
    """A feature map in a layout.

    Parameters
    ----------
    layout : Layout
    elements : int
        Elements of a channel: a Toeplitz matrix and tiles have some of the picture's several times.
    tiles : int
        Tiles of a channel in Winograd's layout.
    """

    layout: Layout
    elements: int
    tiles: int = 0


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """A way to compute a convolution.

    Parameters
    ----------
    name : str
        ``im2col``, ``kn2row`` or ``winograd``.
    m, r : int
        Sizes of Winograd's algorithm: rows and columns of output and kernel; 0 for the others.

    Raises
    ------
    TypeError, ValueError
        m or r out of range.
    """

    name: str
    m: int = 0
    r: int = 0

    def __post_init__(self) -> None:
        if self.name == "winograd":
            require_integer("m of Winograd", self.m, 2)
            require_integer("r of Winograd", self.r, 2)

    def __str__(self) -> str:
        return f"{self.name}-{self.m}-{self.r}" if self.m else self.name

    @property
    def output_layout(self) -> Layout:
        """In which the array leaves the output."""
        return Layout.WINOGRAD if self.m else Layout.TENSOR

    def tiles(self, shape: Shape) -> int:
        """Squares of m x m that cover the output, for Winograd's algorithm. The source has H1 * H2 / m**2."""
        return math.prod(-(-size // self.m) for size in shape.output)


IM2COL = Algorithm(name="im2col")
KN2ROW = Algorithm(name="kn2row")


@dataclass(frozen=True, kw_only=True)
class MatrixProducts:
    """Products of (a x b) inputs and (b x c) weights.

    Parameters
    ----------
    a, b, c : int
        Output pixels, products of a sum, output channels.
    count : int
        How many there are.
    """

    a: int
    b: int
    c: int
    count: int = 1

    @property
    def multiplications(self) -> int:
        """All of them."""
        return self.a * self.b * self.c * self.count


def algorithms_of(shape: Shape, winograd: tuple[Algorithm, ...]) -> tuple[Algorithm, ...]:
    """Algorithms that can compute a layer.

    kn2row of a kernel of one pixel would be im2col. Winograd's algorithms need stride 1 and a square kernel of more
    than a pixel.
    """
    if math.prod(shape.kernel) == 1:
        return (IM2COL,)
    rows, columns = shape.kernel
    fits = isinstance(shape, ConvolutionShape) and shape.stride == (1, 1) and rows == columns
    return (IM2COL, KN2ROW, *(winograd if fits else ()))


def matrix_products(shape: Shape, algorithm: Algorithm) -> MatrixProducts:
    """The products of equations 3.3 (im2col), 3.4 (kn2row) and 3.5 (Winograd).

    A fractionally strided layer is a convolution over the picture with its inserted zeros for im2col. For kn2row it has
    the pixels of its input, as section 3.2 has it. Kernels larger than Winograd's r are computed in rounds, as many as
    sub-kernels of r x r cover it: the source has K1 * K2 / r**2.
    """
    taps, inputs, outputs = math.prod(shape.kernel), shape.input_channels, shape.output_channels
    pixels = math.prod(shape.output)
    if algorithm == IM2COL:
        return MatrixProducts(a=pixels, b=taps * inputs, c=outputs)
    if algorithm == KN2ROW:
        strided = isinstance(shape, FractionallyStridedShape)
        return MatrixProducts(a=math.prod(shape.picture) if strided else pixels, b=inputs, c=outputs, count=taps)
    rounds = math.prod(-(-size // algorithm.r) for size in shape.kernel)
    side = algorithm.m + algorithm.r - 1
    return MatrixProducts(a=algorithm.tiles(shape), b=inputs, c=outputs, count=side**2 * rounds)


def tensor(picture: tuple[int, int]) -> Format:
    """A feature map as it is."""
    return Format(layout=Layout.TENSOR, elements=math.prod(picture))


def input_format(shape: Shape, algorithm: Algorithm) -> Format:
    """In which an algorithm takes the input of a layer."""
    taps, outputs = math.prod(shape.kernel), math.prod(shape.output)
    if algorithm == KN2ROW or (taps == 1 and outputs == math.prod(shape.picture)):
        return tensor(shape.picture)
    if algorithm == IM2COL:
        return Format(layout=Layout.TOEPLITZ, elements=outputs * taps)
    tiles = algorithm.tiles(shape)
    return Format(layout=Layout.WINOGRAD, elements=tiles * (algorithm.m + algorithm.r - 1) ** 2, tiles=tiles)
