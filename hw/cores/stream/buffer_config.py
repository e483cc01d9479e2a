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
    latency : int
        Cycles through the empty buffer. 1: the memory is read combinationally (LUT RAM), for shallow buffers; 2: the
        memory has a registered output (block RAM where it is deep).
    """

    depth: int
    latency: int = 2

    def __post_init__(self):
        require_integer("Depth", self.depth, 2)
        require_integer("Latency", self.latency, 1, 2)
