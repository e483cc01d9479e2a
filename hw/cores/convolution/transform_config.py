"""Configurations of linear transforms of tiles, and Winograd's matrices. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["LinearTransformConfig", "TranspositionConfig", "WinogradMatrices", "transform_number", "winograd"]

Matrix = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class LinearTransformConfig:
    """A matrix of small integers that vectors are multiplied by.

    Parameters
    ----------
    matrix : tuple of tuple of int
        Lines of a result each (1 to 16), of as many numbers as vectors go into a result (1 to 16).
    lanes : int
        Elements of a vector (1 to 256).
    width : int
        Bits of an element, two's complement (1 to 64).
    low, high : int or None
        Least and largest element; None: of the width.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; lines of different lengths, or with nothing but zeros.
    """

    matrix: Matrix
    lanes: int
    width: int = 8
    low: int | None = None
    high: int | None = None

    def __post_init__(self):
        require_integer("Lanes", self.lanes, 1, 256)
        require_integer("Width", self.width, 1, 64)
        require_integer("Lines of the matrix", len(self.matrix), 1, 16)
        require_integer("Columns of the matrix", len(self.matrix[0]), 1, 16)
        for line in self.matrix:
            if len(line) != len(self.matrix[0]):
                raise ValueError(f"Lines of the matrix must have {len(self.matrix[0])} numbers, not {len(line)}")
            for number in line:
                require_integer("Number of the matrix", number, -64, 64)
            if not any(line):
                raise ValueError("Lines of the matrix must not be all zeros")
        least, most = self.interval
        require_integer("Low", least, -(1 << self.width - 1), 0)
        require_integer("High", most, 0, (1 << self.width - 1) - 1)

    @property
    def interval(self):
        """Least and largest element."""
        low = -(1 << self.width - 1) if self.low is None else self.low
        return low, (1 << self.width - 1) - 1 if self.high is None else self.high

    @property
    def inputs(self):
        """Vectors that go into a block."""
        return len(self.matrix[0])

    @property
    def outputs(self):
        """Vectors that come of a block."""
        return len(self.matrix)

    @property
    def result_interval(self):
        """Least and largest result."""
        low, high = self.interval
        least = min(sum(number * (low if number > 0 else high) for number in line) for line in self.matrix)
        most = max(sum(number * (high if number > 0 else low) for number in line) for line in self.matrix)
        return least, most

    @property
    def result_width(self):
        """Bits of a result: enough for every result, also of a part of the vectors."""
        least, most = self.result_interval
        return max((-least - 1).bit_length(), most.bit_length()) + 1

    def following(self, matrix: Matrix) -> "LinearTransformConfig":
        """The transform of this one's results by another matrix."""
        low, high = self.result_interval
        return LinearTransformConfig(matrix=matrix, lanes=self.lanes, width=self.result_width, low=low, high=high)


@dataclass(frozen=True, kw_only=True)
class TranspositionConfig:
    """Blocks of lines and columns.

    Parameters
    ----------
    lines, columns : int
        As a block comes: line after line (1 to 64 each).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lines: int
    columns: int

    def __post_init__(self):
        require_integer("Lines", self.lines, 1, 64)
        require_integer("Columns", self.columns, 1, 64)


@dataclass(frozen=True, kw_only=True)
class WinogradMatrices:
    """Matrices of F(m, r), scaled so that all numbers are integers.

    ``outputs @ ((kernels @ g) * (inputs @ d))`` is ``scale`` times the correlation of ``d`` with ``g``; of two axes,
    ``scale**2`` times.

    Parameters
    ----------
    inputs : tuple of tuple of int
        B transposed: (m + r - 1) x (m + r - 1).
    kernels : tuple of tuple of int
        G times ``scale``: (m + r - 1) x r.
    outputs : tuple of tuple of int
        A transposed: m x (m + r - 1).
    scale : int
        Amount by which an axis is too large.
    """

    inputs: Matrix
    kernels: Matrix
    outputs: Matrix
    scale: int

    @property
    def tile(self):
        """m: outputs of a tile along an axis."""
        return len(self.outputs)

    @property
    def size(self):
        """m + r - 1: inputs of a tile along an axis."""
        return len(self.inputs)


# A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2016, section 4; points 0, 1, -1 (, 2, -2) and
# infinity. DYNAMAP has (2, 3).
_WINOGRAD = {
    (2, 3): WinogradMatrices(
        inputs=((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1)),
        kernels=((2, 0, 0), (1, 1, 1), (1, -1, 1), (0, 0, 2)),
        outputs=((1, 1, 1, 0), (0, 1, -1, -1)),
        scale=2,
    ),
    (4, 3): WinogradMatrices(
        inputs=(
            (4, 0, -5, 0, 1, 0),
            (0, -4, -4, 1, 1, 0),
            (0, 4, -4, -1, 1, 0),
            (0, -2, -1, 2, 1, 0),
            (0, 2, -1, -2, 1, 0),
            (0, 4, 0, -5, 0, 1),
        ),
        kernels=((6, 0, 0), (-4, -4, -4), (-4, 4, -4), (1, 2, 4), (1, -2, 4), (0, 0, 24)),
        outputs=((1, 1, 1, 1, 1, 0), (0, 1, -1, 2, -2, 0), (0, 1, 1, 4, 4, 0), (0, 1, -1, 8, -8, 1)),
        scale=24,
    ),
}


def winograd(tile: int, kernel: int) -> WinogradMatrices:
    """The matrices of F(tile, kernel).

    Raises
    ------
    ValueError
        There are none of these here.
    """
    try:
        return _WINOGRAD[tile, kernel]
    except KeyError:
        known = ", ".join(f"F({m}, {r})" for m, r in _WINOGRAD)
        raise ValueError(f"Winograd's transform must be one of {known}, not F({tile}, {kernel})") from None


def transform_number(transforms: tuple[tuple[int, int], ...], transform: tuple[int, int]) -> int:
    """Number of a transform in a unit's commands: from 1 on.

    Raises
    ------
    ValueError
        The unit does not have it.
    """
    if transform not in transforms:
        raise ValueError(f"Transform must be one of the unit's, {transforms}, not {transform}")
    return transforms.index(transform) + 1
