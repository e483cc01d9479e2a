"""Configurations of the array cores. No Amaranth here."""

import enum
from dataclasses import dataclass

from ..checks import require_even, require_integer, require_interval, require_kind

__all__ = [
    "ACCUMULATOR_WIDTH",
    "OPERAND_WIDTH",
    "PRODUCT_WIDTH",
    "WORD_WIDTH",
    "ArrayConfig",
    "Operation",
    "WritebackConfig",
]

WORD_WIDTH = 32
HALF_WIDTH = 16
OPERAND_WIDTH = 17
PRODUCT_WIDTH = WORD_WIDTH + OPERAND_WIDTH
# Exact for 511 products of any words: a contraction over 512 inputs, short of all of them the most negative.
ACCUMULATOR_WIDTH = 57
# Bits that rescaling cuts from a half precision sum times its scale.
HALF_RULE_SHIFT = 26


class Operation(enum.IntEnum):
    """Operations of the activation unit."""

    IDENTITY = 0
    RELU = 1
    TANH = 2
    RELU_GRADIENT = 3
    TANH_GRADIENT = 4
    MULTIPLY_ADD = 5  # by a factor of its own
    DIFFERENCE = 6
    TANH_NOISE = 7


@dataclass(frozen=True, kw_only=True)
class ArrayConfig:
    """Dimensions of an adaptive array core and its accumulators.

    Parameters
    ----------
    lanes : int
        Processing elements along a row and along a column (even, 2 to 64).
    accumulator_depth : int
        Entries in each of the two accumulator buffers (2 to 65536).
    activation_fraction : int
        Fraction bits of the streamed words (16 to 30); gives the word for one.
    pipelined : bool
        Registers within the products of the processing elements and before the additions of the accumulators: a higher
        clock on parts with multipliers narrower than a word, and a cycle more from a vector to its sums.

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lanes: int = 16
    accumulator_depth: int = 512
    activation_fraction: int = 20
    pipelined: bool = False

    def __post_init__(self):
        require_kind("Pipelined", self.pipelined, bool)
        require_integer("Lanes", self.lanes, 2, 64)
        require_even("Lanes", self.lanes)
        require_integer("Accumulator depth", self.accumulator_depth, 2, 1 << 16)
        require_integer("Activation fraction", self.activation_fraction, 16, 30)

    @property
    def sum_width(self):
        """Bits of a column's sum, exact for any operands."""
        return PRODUCT_WIDTH + (self.lanes - 1).bit_length()

    @property
    def tree_stages(self):
        """Register stages of a column's adder tree: one for two levels."""
        return ((self.lanes - 1).bit_length() + 1) // 2


@dataclass(frozen=True, kw_only=True)
class WritebackConfig:
    """Dimensions of the write-back path.

    Parameters
    ----------
    cores : int
        Array cores written at once (1 to 64).
    lanes : int
        Lanes of a core (even, 2 to 64).
    rows : int
        Rows of the larger of the memories written (2 to 2^24).
    slots : int
        Range slots (2 to 64).
    activation_fraction : int
        Fraction bits of activations: 20, for which the table of tanh is made.
    interval : int
        Cycles from one row to the next, a divisor of the lanes: ``lanes / interval`` units stand for a core's lanes.
    factor_lane : int or None
        Lane whose auxiliary word is the factor of lane 0 in MULTIPLY_ADD; None: there is none, the factor is zero, as
        it is in all other lanes.

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    cores: int = 2
    lanes: int = 16
    rows: int = 1024
    slots: int = 16
    activation_fraction: int = 20
    interval: int = 1
    factor_lane: int | None = None

    def __post_init__(self):
        if self.factor_lane is not None:
            require_integer("Factor lane", self.factor_lane, 0, self.lanes - 1)
        require_integer("Cores", self.cores, 1, 64)
        require_integer("Lanes", self.lanes, 2, 64)
        require_even("Lanes", self.lanes)
        require_integer("Rows", self.rows, 2, 1 << 24)
        require_integer("Slots", self.slots, 2, 64)
        require_integer("Activation fraction", self.activation_fraction, 20, 20)
        require_interval(self.interval, self.lanes)
