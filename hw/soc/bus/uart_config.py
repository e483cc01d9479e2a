"""The frames of the UART link, and the configuration of its bridge. No Amaranth here.

A frame is ``START``, kind, tag, length of the payload (two bytes, low first), payload, and the CRC-32 (that of zlib,
four bytes, low first) of everything between ``START`` and itself. The host sends a request and waits for its reply,
whose kind has the highest bit set and whose tag is the request's. The payload of a reply begins with a status.
"""

import enum
from dataclasses import dataclass

from ...cores.checks import require_integer

__all__ = ["BUFFER_ROWS", "PAYLOAD_LIMIT", "REPLY", "START", "Kind", "Status", "UartConfig", "rows_per_frame"]

START = 0xA5
REPLY = 0x80
# Bytes of the longest payload.
PAYLOAD_LIMIT = 1024
# Rows that the bridge buffers each way.
BUFFER_ROWS = 16


class Kind(enum.IntEnum):
    """Kinds of requests, and their payloads.

    ``READ``: address (4 bytes); the reply has the word. ``WRITE``: address, then one or more words for it and the
    addresses after it. ``SEND``: 1 if the last row ends a packet, number of rows, rows. ``RECEIVE``: most rows wanted;
    the reply has for each row 1 if it ends a packet, and the row. ``FORGET``: nothing; empties the bridge's buffers.
    """

    READ = 1
    WRITE = 2
    SEND = 3
    RECEIVE = 4
    FORGET = 5


class Status(enum.IntEnum):
    """First byte of a reply. Only after ``OK`` and ``REFUSED`` was anything done."""

    OK = 0
    REFUSED = 1
    BUSY = 2
    CORRUPT = 3
    UNKNOWN = 4


def rows_per_frame(row_bytes):
    """Most rows that one frame carries, either way."""
    return min(BUFFER_ROWS, (PAYLOAD_LIMIT - 2) // (row_bytes + 1))


@dataclass(frozen=True, kw_only=True)
class UartConfig:
    """Configuration of the UART bridge.

    Parameters
    ----------
    divisor : int
        Clock cycles of a bit: clock frequency over baud rate, at least 4.
    timeout_bits : int
        Bit times of silence after which a frame that was begun is given up.
    """

    divisor: int
    timeout_bits: int = 1000

    def __post_init__(self):
        require_integer("Divisor", self.divisor, 4)
        require_integer("Timeout in bits", self.timeout_bits, 20)
