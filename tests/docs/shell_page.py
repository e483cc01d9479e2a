"""The examples of docs/shell.md, and a master that knows nothing but that page: no code of this project is in here."""

import re
import struct
import time
import zlib
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "shell.md").read_text(encoding="utf-8")


def example(name):
    """The lines of one of the page's examples."""
    text = PAGE.partition(f"<!-- example over {name}: begin -->\n")[2].partition(f"<!-- example over {name}: end -->")[
        0
    ]
    return [line.removeprefix("    ") for line in text.splitlines()]


def frames():
    """Pairs of the host's frame and the board's, of the example over UART."""
    found = []
    for line in example("UART"):
        if line.startswith("#"):
            continue
        words = bytes.fromhex(line[6:])
        if line.startswith(("host", "board")):
            found.append(words)
        else:
            found[-1] += words
    return list(zip(found[::2], found[1::2], strict=True))


def steps():
    """Verb, numbers and the rest of each line of the example over AXI."""
    return [
        (line.split()[0], [int(number, 16) for number in re.findall(r"0x[0-9a-f]+", line)], line.endswith(" last"))
        for line in example("AXI")
    ]


class Master:
    """Drives a device over UART, as the page says it.

    Parameters
    ----------
    wire : object
        With ``write`` and ``read``, a serial port that gives up reading after a while.
    row_bytes : int
    """

    READ, WRITE, SEND, RECEIVE, FORGET = 1, 2, 3, 4, 5
    START, SOFT_RESET = 1, 2

    def __init__(self, wire, row_bytes):
        self.wire, self.row_bytes, self.tag = wire, row_bytes, 0x40

    @staticmethod
    def frame(kind, tag, payload):
        body = bytes([kind, tag]) + len(payload).to_bytes(2, "little") + payload
        return b"\xa5" + body + zlib.crc32(body).to_bytes(4, "little")

    def request(self, kind, payload=b""):
        """Status and the rest of the reply's payload."""
        self.tag = (self.tag + 1) & 0xFF
        self.wire.write(self.frame(kind, self.tag, payload))
        head = self.wire.read(5)
        length = int.from_bytes(head[3:5], "little")
        rest = self.wire.read(length + 4)
        assert self.frame(kind | 0x80, self.tag, rest[:-4]) == head + rest
        return rest[0], rest[1:-4]

    def read(self, address):
        status, word = self.request(self.READ, struct.pack("<I", address))
        assert status == 0
        return int.from_bytes(word, "little")

    def write(self, address, *words):
        status, rest = self.request(self.WRITE, struct.pack(f"<{1 + len(words)}I", address, *words))
        assert not rest
        return status

    def send(self, rows):
        data = b"".join(row.to_bytes(self.row_bytes, "little") for row in rows)
        status, _ = self.request(self.SEND, bytes([1, len(rows)]) + data)
        assert status == 0

    def receive(self):
        """Rows, and for each whether it ends a packet."""
        status, data = self.request(self.RECEIVE, bytes([16]))
        assert status == 0
        size = 1 + self.row_bytes
        parts = [data[place : place + size] for place in range(0, len(data), size)]
        return [(int.from_bytes(part[1:], "little"), part[0] == 1) for part in parts]

    def until_stopped(self, status_address=0x10, limit_seconds=20):
        deadline = time.monotonic() + limit_seconds
        while (state := self.read(status_address) & 3) == 1:
            assert time.monotonic() < deadline, "still running"
        return state
