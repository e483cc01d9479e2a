"""Configuration of the softmax unit. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_multiple
from ..float.config import BINARY16, FloatFormat, find_format
from ..random.xorshift import NUMBERS_A_STATE, UNIFORM_BITS

__all__ = ["SoftmaxConfig"]


@dataclass(frozen=True, kw_only=True)
class SoftmaxConfig:
    """Softmax and sampling of a core.

    Parameters
    ----------
    choices : int
        Most alternatives of a choice, 2 to 64.
    lanes : int
        Lanes of a block, a multiple of 4.
    blocks : int
        Blocks of a word, 1 to 4.
    format : FloatFormat or str
        With at least 11 significant bits, so that uniform numbers are exact.
    adder_depth, multiplier_depth : int
        Register stages, 1 to 6.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    choices: int = 8
    lanes: int = 32
    blocks: int = 4
    format: FloatFormat = BINARY16
    adder_depth: int = 4
    multiplier_depth: int = 3

    def __post_init__(self):
        object.__setattr__(self, "format", find_format(self.format))
        require_integer("Choices", self.choices, 2, 64)
        require_integer("Lanes", self.lanes, 4, 1024)
        require_multiple("Lanes", self.lanes, "the numbers drawn in a cycle", NUMBERS_A_STATE)
        require_integer("Blocks", self.blocks, 1, 4)
        require_integer("Precision of the format", self.format.precision, UNIFORM_BITS, 24)
        require_integer("Adder depth", self.adder_depth, 1, 6)
        require_integer("Multiplier depth", self.multiplier_depth, 1, 6)

    @property
    def slots(self):
        """Cycles from a choice's number to the next one's: time-multiplexed blocks hide the adder's latency."""
        return max(self.blocks, self.adder_depth + 1)

    @property
    def block_bits(self):
        """Bits of a block."""
        return self.lanes * self.format.width
