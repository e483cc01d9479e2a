"""Configurations of the elementwise unit and what its commands say. No Amaranth here."""

import enum
from dataclasses import dataclass

from ..checks import require_integer
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
    """What is applied last."""

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
        Of a block: a power of two, at least 2.
    blocks : int
        Of a word: 1, 2 or 4.
    width : int
        Blocks that the unit takes in a cycle: 1, 2 or 4, at most ``blocks``.
    address_bits : int
        Of a word in any memory.

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

    def __post_init__(self):
        if not isinstance(self.lane, ElementwiseLaneConfig):
            raise TypeError(f"Lane must be an ElementwiseLaneConfig, not {self.lane!r}")
        require_integer("Lanes", self.lanes, 2, 1024)
        if self.lanes & self.lanes - 1:
            raise ValueError(f"Lanes must be a power of two, not {self.lanes}")
        for name in ("Blocks", "Width"):
            value = getattr(self, name.lower())
            require_integer(name, value, 1, 4)
            if value == 3:
                raise ValueError(f"{name} must be 1, 2 or 4, not 3")
        if self.width > self.blocks:
            raise ValueError(f"Width must be at most blocks ({self.blocks}), not {self.width}")
        require_integer("Address bits", self.address_bits, 4, 24)

    @property
    def exchanges(self):
        """Distances that lanes can be exchanged over: powers of two below the lanes of a block."""
        return [1 << bit for bit in range((self.lanes - 1).bit_length())]

    @property
    def block_bits(self):
        """Bits of a block."""
        return self.lanes * self.lane.format.width
