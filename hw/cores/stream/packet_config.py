"""Configuration of the packet reader. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["PacketReaderConfig"]


@dataclass(frozen=True, kw_only=True)
class PacketReaderConfig:
    """Configuration of a packet reader.

    Parameters
    ----------
    width : int
        Bits of a row.
    count_width : int
        Bits of a request.
    """

    width: int
    count_width: int = 16

    def __post_init__(self):
        require_integer("Width", self.width, 2)
        require_integer("Count width", self.count_width, 2)
