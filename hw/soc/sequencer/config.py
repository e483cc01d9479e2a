"""Configuration of the sequencer. No Amaranth here."""

from dataclasses import dataclass

from ...cores.checks import require_integer
from .instructions import InstructionSet

__all__ = ["SequencerConfig"]


@dataclass(frozen=True, kw_only=True)
class SequencerConfig:
    """Configuration of a sequencer.

    Parameters
    ----------
    instruction_set : InstructionSet
        Its width is a power of two.
    depth : int
        Instructions that the program memory holds, a power of two.
    """

    instruction_set: InstructionSet
    depth: int = 1024

    def __post_init__(self):
        if not isinstance(self.instruction_set, InstructionSet):
            raise TypeError(f"Instruction set must be an InstructionSet, not {self.instruction_set!r}")
        width = self.instruction_set.width
        if width & (width - 1):
            raise ValueError(f"Width of an instruction in a sequencer must be a power of two, not {width}")
        require_integer("Depth", self.depth, 2, 65536)
        if self.depth & (self.depth - 1):
            raise ValueError(f"Depth must be a power of two, not {self.depth}")

    @property
    def words(self):
        """32-bit words of the program memory."""
        return self.depth * self.instruction_set.width // 32
