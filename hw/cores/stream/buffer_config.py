"""Configuration of the stream buffer. No Amaranth here."""

from dataclasses import dataclass

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
        if isinstance(self.depth, bool) or not isinstance(self.depth, int):
            raise TypeError(f"Depth must be an integer, not {self.depth!r}")
        if self.depth < 2:
            raise ValueError(f"Depth must be at least 2, not {self.depth}")
