"""Configuration of the engine of fractionally strided convolutions. No Amaranth here."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..checks import require_integer, require_kind
from ..float.config import FloatLaneConfig

__all__ = ["FractionalConvolutionConfig", "IntegerLaneConfig"]

LARGEST_CORES = 64
LARGEST_SIDE = 64
LARGEST_DEPTH = 1 << 20


@dataclass(frozen=True, kw_only=True)
class IntegerLaneConfig:
    """Integers: an exact product of two, and sums of products.

    Parameters
    ----------
    width : int
        Bits of an operand, two's complement (2 to 32).
    sum_width : int
        Bits of a sum, two's complement, at least those of a product (up to 64).
    multiplier_depth : int
        Register stages of the multiplier, 1 to 6.

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    width: int = 16
    sum_width: int = 48
    multiplier_depth: int = 2

    def __post_init__(self):
        require_integer("Width", self.width, 2, 32)
        require_integer("Sum width", self.sum_width, 2 * self.width, 64)
        require_integer("Multiplier depth", self.multiplier_depth, 1, 6)

    @property
    def adder_depth(self):
        """Register stages of the adder: sums are exact and taken in one cycle."""
        return 1

    @property
    def products(self):
        """Products that a sum holds, whatever they are."""
        largest = 1 << 2 * (self.width - 1)
        return ((1 << self.sum_width - 1) - 1) // largest


@dataclass(frozen=True, kw_only=True)
class FractionalConvolutionConfig:
    """Conv cores, their numbers, and the memories around them.

    Parameters
    ----------
    cores : int
        n, conv cores (1 to 64).
    rows : int
        P1, rows of processing elements of a core: pixels of a pixel tile (1 to 64).
    columns : int
        P2, columns of a core (1 to 64). All cores together have N = n P2 columns.
    arithmetic : IntegerLaneConfig, FloatLaneConfig or mapping
        Numbers and the depths of multiplier and adder; of a mapping, floating point where it has a ``format``.
    input_rows : int
        Depth of the input memory: a row has P1 pixels of one input channel.
    weight_rows : int
        Depth of the weight memory: a row has N columns of one input channel.
    scratchpad_rows : int
        Depth of a half of the scratchpad: a row has N sums.
    input_channels : int
        Most input channels of a layer.
    side : int
        Most pixels along a side of all that a picture's kernels reach, cropped ones included.
    output_lanes : int or None
        Outputs of a word that leaves (1 to N); None: N.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    cores: int = 2
    rows: int = 8
    columns: int = 16
    arithmetic: IntegerLaneConfig | FloatLaneConfig = IntegerLaneConfig()
    input_rows: int = 4096
    weight_rows: int = 4096
    scratchpad_rows: int = 2048
    input_channels: int = 1024
    side: int = 255
    output_lanes: int | None = None

    def __post_init__(self):
        if isinstance(self.arithmetic, Mapping):
            kind = FloatLaneConfig if "format" in self.arithmetic else IntegerLaneConfig
            object.__setattr__(self, "arithmetic", kind(**self.arithmetic))
        if not isinstance(self.arithmetic, FloatLaneConfig):
            require_kind("Arithmetic", self.arithmetic, IntegerLaneConfig)
        require_integer("Cores", self.cores, 1, LARGEST_CORES)
        require_integer("Rows", self.rows, 1, LARGEST_SIDE)
        require_integer("Columns", self.columns, 1, LARGEST_SIDE)
        # An access of N lanes crosses from one row into the next.
        require_integer("Columns of all cores", self.lanes, 2)
        for name in ("input_rows", "weight_rows", "scratchpad_rows"):
            require_integer(name.replace("_", " ").capitalize(), getattr(self, name), 2, LARGEST_DEPTH)
        require_integer("Input channels", self.input_channels, 1, 1 << 16)
        require_integer("Side", self.side, 1, 1 << 12)
        if self.output_lanes is not None:
            require_integer("Output lanes", self.output_lanes, 1, self.lanes)

    @property
    def lanes(self):
        """N, the number of columns of all cores and of lanes of the scratchpad."""
        return self.cores * self.columns

    @property
    def outputs(self):
        """Outputs of a word that leaves."""
        return self.lanes if self.output_lanes is None else self.output_lanes

    @property
    def elements(self):
        """Processing elements of all cores."""
        return self.rows * self.lanes

    @property
    def floating(self):
        """Whether the numbers are floating point."""
        return self.number_format is not None

    @property
    def number_format(self):
        """The floating-point format; None for integers."""
        return self.arithmetic.format if isinstance(self.arithmetic, FloatLaneConfig) else None

    @property
    def operand_width(self):
        """Bits of a pixel or weight."""
        return self.arithmetic.format.width if isinstance(self.arithmetic, FloatLaneConfig) else self.arithmetic.width

    @property
    def sum_width(self):
        """Bits of a sum."""
        if isinstance(self.arithmetic, FloatLaneConfig):
            return self.arithmetic.format.width
        return self.arithmetic.sum_width

    @property
    def slots(self):
        """I, issue slots: each stage of the adder holds a sum of its own."""
        return self.arithmetic.adder_depth

    @property
    def reuse(self):
        """Cycles from a pixel's entry into the scratchpad until its sums can be read there: the read, the adder and
        the write must have passed."""
        return self.arithmetic.adder_depth + 3
