"""Configuration of the packet reader. No Amaranth here."""

from dataclasses import dataclass

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
        for name, value in (("Width", self.width), ("Count width", self.count_width)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{name} must be an integer, not {value!r}")
            if value < 2:
                raise ValueError(f"{name} must be at least 2, not {value}")
