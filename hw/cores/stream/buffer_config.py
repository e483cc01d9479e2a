"""Configuration of the stream buffer. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["StreamBufferConfig"]


@dataclass(frozen=True, kw_only=True)
class StreamBufferConfig:
    """Configuration of a stream buffer.

    Parameters
    ----------
    depth : int
        Values it holds, at least 2.
    """

    depth: int

    def __post_init__(self):
        require_integer("Depth", self.depth, 2)
