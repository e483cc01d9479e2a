"""Configuration of the transfer engine. No Amaranth here."""

import enum
from dataclasses import dataclass

from ...cores.checks import require_integer, require_kind
from ...cores.memory.host_map_config import HostMapConfig

__all__ = ["TransferConfig", "TransferKind"]


class TransferKind(enum.IntEnum):
    """Kinds of transfers."""

    LOAD = 0
    STORE = 1
    COPY = 2


@dataclass(frozen=True, kw_only=True)
class TransferConfig:
    """The transfer engine of a system.

    Parameters
    ----------
    host : HostMapConfig
        The memories that it reaches.
    width : int
        Bits of a beat of the host's streams, at least those of a row.
    address_width : int
        Bits of a first row and of a number of rows in a command.
    option_width : int
        Bits of a command that go on to the memories as they are.
    copy_rows : int
        Rows of the memory that copies go to; 0: there is none.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    host: HostMapConfig
    width: int
    address_width: int
    option_width: int = 0
    copy_rows: int = 0

    def __post_init__(self):
        require_kind("Host", self.host, HostMapConfig)
        require_integer("Width", self.width, self.host.width)
        require_integer("Address width", self.address_width, (self.host.rows - 1).bit_length(), 32)
        require_integer("Option width", self.option_width, 0, 256)
        require_integer("Copy rows", self.copy_rows, 0, 1 << 24)

    @property
    def target_width(self) -> int:
        """Bits of the first row that a copy writes, and of a row after the last one."""
        return max(self.copy_rows, 1).bit_length()
