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
    head_register : bool
        With latency 1: the oldest value is in a register and not in the memory, so what follows has the whole cycle.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    depth: int
    latency: int = 2
    head_register: bool = False

    def __post_init__(self):
        require_integer("Depth", self.depth, 2)
        require_integer("Latency", self.latency, 1, 2)
        if not isinstance(self.head_register, bool):
            raise TypeError(f"Head register must be True or False, not {self.head_register!r}")
        if self.head_register and self.latency != 1:
            raise ValueError(f"A buffer with a head register must have latency 1, not {self.latency}")
