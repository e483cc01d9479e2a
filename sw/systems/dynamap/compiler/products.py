"""A convolution as products of matrices: which layouts are multiplied by which weights."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from .....hw.cores.convolution.commands import Dataflow
from .....hw.cores.convolution.layout_commands import tile_command, toeplitz_command, unit_command
from .....hw.cores.convolution.layout_cycles import tile_cycles, toeplitz_cycles, unit_cycles
from .....hw.cores.convolution.shape import ConvolutionShape, OutputPart
from .....hw.cores.convolution.transform_config import winograd
from .....hw.soc.dynamap.config import DynamapConfig
from ....mapping.convolution.algorithms import KN2ROW, Algorithm
from ....reference.arrays import IntegerArray
from ....reference.convolution.quantization import IntegerConvolution

__all__ = ["Choice", "Layout", "Matrix", "Products"]

# The command for a picture's place, the first row of the buffer, rows from a block to the next, and a part.
MakeCommand = Callable[[int, int, int, OutputPart], dict]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """How a convolution is computed.

    Parameters
    ----------
    algorithm : Algorithm
    dataflow : Dataflow
    parts : int
        Parts of the output, at least: layouts, products and stores of different parts overlap.
    """

    algorithm: Algorithm
    dataflow: Dataflow
    parts: int = 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Matrix:
    """Weights of a product: those of a layer with this number.

    Parameters
    ----------
    layer : str
    number : int
    shape : (int, int)
        Products and channels.
    sums : int
        Number of the sums that they are for: Winograd's algorithm has some for each number of a tile.
    weights : function
        Gives them.
    """

    layer: str
    number: int
    shape: tuple[int, int]
    sums: int
    weights: Callable[[], IntegerArray]


@dataclass(frozen=True, kw_only=True, eq=False)
class Layout:
    """A command of the layout transformation unit, and the matrices whose inputs it makes, one after the other."""

    command: MakeCommand
    matrices: tuple[Matrix, ...]


class Products:
    """A layer by an algorithm.

    Parameters
    ----------
    hardware : DynamapConfig
    layer : IntegerConvolution
        A layer of a :class:`.ConvolutionShape`.
    algorithm : Algorithm

    Members
    -------
    layouts : tuple of Layout
        Their products are added up.
    sums : int
        How many sums of products there are, beside each other.
    output : (int, int)
        Lines and columns that parts are of: pixels, or tiles.
    """

    def __init__(self, hardware: DynamapConfig, layer: IntegerConvolution, algorithm: Algorithm):
        assert isinstance(layer.shape, ConvolutionShape)
        self._config, self._name, self._kernels = hardware.layouts, layer.name, layer.kernels
        self.shape, self.algorithm = layer.shape, algorithm
        self.transform = algorithm.m, algorithm.r
        self.sums = winograd(*self.transform).size ** 2 if algorithm.m else 1
        self.output = tuple(-(-side // (algorithm.m or 1)) for side in self.shape.output)
        self._count = 0
        make = self._of_tiles if algorithm.m else self._of_elements if algorithm == KN2ROW else self._of_windows
        self.layouts: tuple[Layout, ...] = tuple(make())

    @property
    def matrices(self) -> list[Matrix]:
        """The matrices of all layouts."""
        return [matrix for layout in self.layouts for matrix in layout.matrices]

    def cycles(self, part: OutputPart) -> int:
        """Cycles of the command of a layout."""
        if self.algorithm.m:
            return tile_cycles(self._config, self.shape, self.transform, part)
        return (unit_cycles if self.algorithm == KN2ROW else toeplitz_cycles)(self._config, self.shape, part)

    def _matrix(self, products: int, weights: Callable[[], IntegerArray], sums: int = 0) -> Matrix:
        self._count += 1
        shape = products, self.shape.output_channels
        return Matrix(layer=self._name, number=self._count - 1, shape=shape, sums=sums, weights=weights)

    def _of_windows(self) -> list[Layout]:
        """im2col."""

        def command(place: int, base: int, pitch: int, part: OutputPart) -> dict:
            return toeplitz_command(self._config, self.shape, place=place, base=base, pitch=pitch, part=part)

        products = math.prod(self.shape.kernel) * self.shape.input_channels
        matrix = self._matrix(products, lambda: self._kernels.reshape(products, -1))
        return [Layout(command=command, matrices=(matrix,))]

    def _of_elements(self) -> list[Layout]:
        """kn2row: a unit convolution for each element of the kernel."""

        def of(element: tuple[int, int]) -> Layout:
            def command(place: int, base: int, pitch: int, part: OutputPart) -> dict:
                return unit_command(self._config, self.shape, element, place=place, base=base, pitch=pitch, part=part)

            matrix = self._matrix(self.shape.input_channels, lambda: self._kernels[element])
            return Layout(command=command, matrices=(matrix,))

        return [of(element) for element in np.ndindex(*self.shape.kernel)]

    def _of_tiles(self) -> list[Layout]:
        """Winograd's algorithm: a round for each sub-kernel of r x r."""

        def of(turn: tuple[int, int]) -> Layout:
            def command(place: int, base: int, pitch: int, part: OutputPart) -> dict:
                where = {"place": place, "base": base, "pitch": pitch}
                return tile_command(self._config, self.shape, self.transform, turn, **where, part=part)

            @cache
            def transformed() -> IntegerArray:
                return _transformed(self._kernels, turn, self.transform)

            def number(index: int) -> Callable[[], IntegerArray]:
                return lambda: transformed()[index]

            channels = self.shape.input_channels
            matrices = tuple(self._matrix(channels, number(index), index) for index in range(self.sums))
            return Layout(command=command, matrices=matrices)

        return [of(turn) for turn in np.ndindex(*(-(-side // self.transform[1]) for side in self.shape.kernel))]


def _transformed(kernels: IntegerArray, turn: tuple[int, int], transform: tuple[int, int]) -> IntegerArray:
    """A sub-kernel in Winograd's space: (numbers of a tile, C_in, C_out)."""
    side, matrix = transform[1], np.array(winograd(*transform).kernels)
    part = kernels[turn[0] * side : (turn[0] + 1) * side, turn[1] * side : (turn[1] + 1) * side]
    whole = np.zeros((side, side, *kernels.shape[2:]), np.int64)
    whole[: part.shape[0], : part.shape[1]] = part
    planes = np.einsum("ia,abcd,jb->ijcd", matrix, whole, matrix)
    return planes.reshape(-1, *planes.shape[2:])
