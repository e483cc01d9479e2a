"""Configurations of the elementwise unit and what its commands say. No Amaranth here."""

import enum
from dataclasses import dataclass

from ..checks import require_integer, require_kind, require_power_of_two
from ..float.config import FloatLaneConfig

__all__ = [
    "DESTINATIONS",
    "STATE_MEMORIES",
    "Combination",
    "Destination",
    "ElementwiseConfig",
    "ElementwiseLaneConfig",
    "Function",
    "Operand",
]

# Memories that elementwise passes read and write.
STATE_MEMORIES = 3
# Memories that they write.
DESTINATIONS = 6


class Combination(enum.IntEnum):
    """How a value and an operand are combined."""

    PASS = 0  # the value
    ADD = 1  # value + operand
    SUBTRACT = 2  # value + (-operand); in the first place only
    MULTIPLY = 3  # value * operand
    SIGMOID_GRADIENT = 4  # value * (operand * (1 + (-operand))); in the second place only
    TANH_GRADIENT = 5  # value * (1 + (-(operand * operand))); in the second place only


class Function(enum.IntEnum):
    """The function that is applied last."""

    NONE = 0
    SIGMOID = 1
    TANH = 2


class Operand(enum.IntEnum):
    """Memory that an operand comes from."""

    STATE_0 = 0
    STATE_1 = 1
    STATE_2 = 2
    RESULT_0 = 3  # of the matrix engine, first half
    AGGREGATE = 4  # sums over the cores, and what they share
    CHOICE = 5  # probabilities and choices of the softmax unit
    RESULT_1 = 6  # of the matrix engine, second half
    SCALAR = 7  # one number a feature, for all lanes


class Destination(enum.IntEnum):
    """Memory that a value goes to."""

    STATE_0 = 0
    STATE_1 = 1
    STATE_2 = 2
    ERROR = 3  # of this core
    ACTIVATION = 4  # of all cores
    LOGIT = 5  # of the softmax unit
    NONE = 7


@dataclass(frozen=True, kw_only=True)
class ElementwiseLaneConfig(FloatLaneConfig):
    """One lane: its number format and the depth of its units. Parameters are those of the base."""


@dataclass(frozen=True, kw_only=True)
class ElementwiseConfig:
    """The elementwise unit of a core.

    Parameters
    ----------
    lane : ElementwiseLaneConfig
    lanes : int
        Lanes of a block: a power of two, at least 2.
    blocks : int
        Blocks of a word: 1, 2 or 4.
    width : int
        Blocks that the unit takes in a cycle: 1, 2 or 4, at most ``blocks``.
    address_bits : int
        Bits of an address in a command, whatever memory it is of.
    state_rows, result_rows, aggregate_rows, choice_rows : int
        Depths of the memories that operands come from, in words; each half of the results has ``result_rows``.
    scalar_rows : int
        Numbers that are the same for all lanes.
    error_rows, activation_rows, logit_rows : int
        Depths of the memories that values go to, in words.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    lane: ElementwiseLaneConfig = ElementwiseLaneConfig()
    lanes: int = 32
    blocks: int = 4
    width: int = 2
    address_bits: int = 16
    state_rows: int = 4096
    result_rows: int = 512
    aggregate_rows: int = 1024
    choice_rows: int = 16
    scalar_rows: int = 1024
    error_rows: int = 4096
    activation_rows: int = 4096
    logit_rows: int = 8

    def __post_init__(self):
        require_kind("Lane", self.lane, ElementwiseLaneConfig)
        require_power_of_two("Lanes", self.lanes, 2, 1024)
        require_power_of_two("Blocks", self.blocks, 1, 4)
        require_power_of_two("Width", self.width, 1, 4)
        if self.width > self.blocks:
            raise ValueError(f"Width must be at most blocks ({self.blocks}), not {self.width}")
        require_integer("Address bits", self.address_bits, 4, 24)
        for rows in ("state", "result", "aggregate", "choice", "scalar", "error", "activation", "logit"):
            require_integer(f"{rows.capitalize()} rows", getattr(self, f"{rows}_rows"), 2, 1 << self.address_bits)

    @property
    def exchanges(self):
        """Distances that lanes can be exchanged over: powers of two below the lanes of a block."""
        return [1 << bit for bit in range((self.lanes - 1).bit_length())]

    @property
    def block_bits(self):
        """Bits of a block."""
        return self.lanes * self.lane.format.width
