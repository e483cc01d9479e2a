"""Configuration of the aggregator. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer
from ..float.config import BINARY16, FloatFormat, find_format

__all__ = ["AggregatorConfig"]


@dataclass(frozen=True, kw_only=True)
class AggregatorConfig:
    """Sums over cores.

    Parameters
    ----------
    cores : int
        1 to 16.
    lanes, blocks, width : int
        Lanes of a block, blocks of a word, blocks taken in a cycle; ``width`` divides ``blocks``.
    format : FloatFormat or str
    adder_depth : int
        Register stages, 1 to 6.
    address_bits : int
        Bits of an address in a command.
    source_rows, target_rows : int
        Depths of a core's memories that partial results come from and sums go to, in words.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    cores: int = 3
    lanes: int = 32
    blocks: int = 4
    width: int = 2
    format: FloatFormat = BINARY16
    adder_depth: int = 4
    address_bits: int = 16
    source_rows: int = 1024
    target_rows: int = 1024

    def __post_init__(self):
        object.__setattr__(self, "format", find_format(self.format))
        require_integer("Cores", self.cores, 1, 16)
        require_integer("Lanes", self.lanes, 1, 1024)
        require_integer("Blocks", self.blocks, 1, 16)
        require_integer("Width", self.width, 1, self.blocks)
        if self.blocks % self.width:
            raise ValueError(f"Width must be a divisor of blocks ({self.blocks}), not {self.width}")
        require_integer("Adder depth", self.adder_depth, 1, 6)
        require_integer("Address bits", self.address_bits, 4, 24)
        require_integer("Source rows", self.source_rows, 2, 1 << self.address_bits)
        require_integer("Target rows", self.target_rows, 2, 1 << self.address_bits)

    @property
    def block_bits(self):
        """Bits of a block."""
        return self.lanes * self.format.width
