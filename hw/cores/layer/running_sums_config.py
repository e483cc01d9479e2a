"""Configuration of running sums. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer
from ..memory.config import MemoryConfig

__all__ = ["RunningSumsConfig"]


@dataclass(frozen=True, kw_only=True)
class RunningSumsConfig:
    """Sums that a pipelined adder adds to.

    Parameters
    ----------
    depth : int
        Sums, or rows of sums side by side, at least 1.
    adder_depth : int
        Cycles from a sum and its term to the new sum.
    interval : int
        Fewest cycles from one read of a sum to the next (``adder_depth`` or more).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    depth: int
    adder_depth: int
    interval: int

    def __post_init__(self):
        require_integer("Depth", self.depth, 1)
        require_integer("Adder depth", self.adder_depth, 1)
        require_integer("Interval", self.interval, self.adder_depth)

    @property
    def memory(self) -> MemoryConfig:
        """The memory that holds them.

        Sums that come back while they are written are few, and lie in distributed RAM, which is read when the data are
        wanted; the others never meet their write.
        """
        if self.interval <= self.adder_depth + 1:
            return MemoryConfig(depth=self.depth, latency=0)
        return MemoryConfig(depth=self.depth, hazard="never")
