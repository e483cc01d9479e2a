"""A board behind a serial port as a link."""

import struct
import time
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import serial

from ...hw.soc.bus.uart_config import PAYLOAD_LIMIT, REPLY, START, Kind, Status, rows_per_frame
from ...hw.soc.shell.registers import State
from .errors import DeviceError, DeviceTimeout

__all__ = ["UartTransport", "pack_frame", "split_place"]

ATTEMPTS = 3
# A device that is done empties its buffers within a second or so; one that still sends after so many time-outs never
# stops.
DRAIN_TIMEOUTS = 30
WORDS_PER_FRAME = (PAYLOAD_LIMIT - 4) // 4
HEADER = struct.Struct("<BBH")
CRC = struct.Struct("<I")


def split_place(place: str) -> tuple[str, int | None]:
    """Port and baud rate of ``"PORT"`` or ``"PORT@BAUD"``; ``None``: the place says no rate.

    Raises
    ------
    ValueError
        The rate is no positive integer, or there is no port.
    """
    port, at, baud = place.partition("@")
    if not port or (at and not (baud.isdecimal() and int(baud))):
        raise ValueError(f'A serial port must be "PORT" or "PORT@BAUD", such as "/dev/ttyUSB0@921600", not {place!r}')
    return port, int(baud) if at else None


def pack_frame(kind: int, tag: int, payload: bytes) -> bytes:
    """A frame as it goes over the wire."""
    body = HEADER.pack(kind, tag, len(payload)) + payload
    return bytes([START]) + body + CRC.pack(zlib.crc32(body))


class UartTransport:
    """A :class:`Transport` to a ``UartTop``.

    Parameters
    ----------
    port : str
        Serial port.
    config : object
    baud : int
        Bits a second; must be the board's.
    timeout : float
        Seconds to wait for a reply, at most three times over; and for a device that takes or sends no row. Rows that a
        device still sends after it is done may take thirty times as long.
    """

    def __init__(self, port: str, config: Any, *, baud: int = 1_000_000, timeout: float = 1.0):
        self.name = f"The device at {port}"
        self._lanes: int = config.shell.stream_lanes
        self._status_address: int = config.shell.address_map["status"].address
        self._timeout = timeout
        self._tag = 0
        self._unsent: list[np.ndarray] = []
        self._rows: list[np.ndarray] = []
        self._last: list[bool] = []
        try:
            self._serial = serial.Serial(port, baud, timeout=timeout, write_timeout=timeout)
        except (serial.SerialException, ValueError) as error:
            raise DeviceError(f"{self.name} cannot be opened: {error}") from None

    def read(self, address: int) -> int:
        """A 32-bit word."""
        status, answer = self._request(Kind.READ, struct.pack("<I", address))
        if status is not Status.OK:
            raise DeviceError(f"{self.name} refused to read address {address:#06x}")
        return int.from_bytes(answer, "little")

    def write(self, address: int, value: int) -> None:
        """Write a 32-bit word."""
        self.write_words(address, [value])

    def write_words(self, address: int, values: Sequence[int]) -> None:
        """Write 32-bit words to consecutive addresses, as many a frame as fit."""
        for start in range(0, len(values), WORDS_PER_FRAME):
            part = values[start : start + WORDS_PER_FRAME]
            first = address + 4 * start
            status, _ = self._request(Kind.WRITE, struct.pack(f"<I{len(part)}I", first, *part))
            if status is not Status.OK:
                raise DeviceError(f"{self.name} refused to write {len(part)} words from address {first:#06x}")

    def send(self, rows: np.ndarray) -> None:
        """Queue one packet."""
        self._unsent.append(np.ascontiguousarray(rows, dtype="<u4").copy())

    def receive(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows that have arrived, and for each whether it ends a packet."""
        rows = np.array(self._rows, dtype=np.uint32).reshape(len(self._rows), self._lanes)
        last = np.array(self._last, dtype=bool)
        self._rows, self._last = [], []
        return rows, last

    def advance(self, cycles: int, *, until_done: bool = False, rows: int = 0) -> None:
        """Exchange rows until the device is done, ``rows`` have arrived, or nothing has moved for the time-out; without
        either condition once. The board's clock runs by itself, whatever ``cycles`` says."""
        deadline = time.monotonic() + self._timeout
        while True:
            moved = self._push() | self._pull()
            if moved:
                deadline = time.monotonic() + self._timeout
            done = until_done and State.of(self.read(self._status_address)) is not State.RUNNING
            enough = rows and len(self._rows) >= rows
            if done or enough or not (until_done or rows) or time.monotonic() > deadline:
                if done:
                    self._drain()
                return

    def _drain(self) -> None:
        """Fetch what the device sent before it was done, which is no more than its buffers hold."""
        before, deadline = len(self._rows), time.monotonic() + DRAIN_TIMEOUTS * self._timeout
        while self._pull():
            if time.monotonic() > deadline:
                raise DeviceTimeout(
                    f"{self.name} was done, and sent rows for {DRAIN_TIMEOUTS * self._timeout:g} s more, "
                    f"{len(self._rows) - before} of them: it does not end"
                )

    def forget(self) -> None:
        """Drop all rows queued and arrived, here and in the board's buffers."""
        self._unsent.clear()
        self._rows.clear()
        self._last.clear()
        self._request(Kind.FORGET, b"")

    def close(self) -> None:
        """Close the port."""
        self._serial.close()

    def _push(self) -> bool:
        """Send one frame of rows, if there are any and the board has room."""
        if not self._unsent:
            return False
        packet = self._unsent[0]
        part = packet[: rows_per_frame(4 * self._lanes)]
        ends = len(part) == len(packet)
        status, _ = self._request(Kind.SEND, bytes([ends, len(part)]) + part.tobytes())
        if status is not Status.OK:
            return False
        if ends:
            self._unsent.pop(0)
        else:
            self._unsent[0] = packet[len(part) :]
        return True

    def _pull(self) -> bool:
        """Fetch the rows that the board has."""
        _, answer = self._request(Kind.RECEIVE, bytes([rows_per_frame(4 * self._lanes)]))
        size = 4 * self._lanes + 1
        for start in range(0, len(answer), size):
            self._last.append(bool(answer[start]))
            self._rows.append(np.frombuffer(answer, dtype="<u4", count=self._lanes, offset=start + 1))
        return bool(answer)

    def _request(self, kind: Kind, payload: bytes) -> tuple[Status, bytes]:
        """One request and its reply; repeats it while the board says that it came corrupted, or says nothing."""
        self._tag = (self._tag + 1) % 256
        problem = ""
        for _ in range(ATTEMPTS):
            try:
                self._serial.write(pack_frame(kind, self._tag, payload))
                reply = self._reply(kind)
            except serial.SerialException as error:
                raise DeviceError(f"{self.name} is gone: {error}") from None
            if reply is None:
                problem = f"did not answer within {self._timeout} s"
                if kind is Kind.RECEIVE:
                    # The rows may have left the board: asking again would not bring them back.
                    break
                continue
            status, answer = reply
            if status is Status.UNKNOWN:
                raise DeviceError(f"{self.name} does not know the request {kind.name.lower()} of {len(payload)} bytes")
            if status is not Status.CORRUPT:
                return status, answer
            problem = "received corrupted bytes"
        raise DeviceTimeout(f"{self.name} {problem} ({kind.name.lower()}, {ATTEMPTS} attempts)")

    def _reply(self, kind: Kind) -> tuple[Status, bytes] | None:
        """The reply to the last request; anything else that comes is skipped."""
        deadline = time.monotonic() + self._timeout
        while time.monotonic() < deadline:
            if self._serial.read(1) != bytes([START]):
                continue
            header = self._serial.read(HEADER.size)
            if len(header) < HEADER.size:
                continue
            got, tag, length = HEADER.unpack(header)
            if length > PAYLOAD_LIMIT:
                continue
            rest = self._serial.read(length + CRC.size)
            body = header + rest[:length]
            if len(rest) < length + CRC.size or CRC.unpack(rest[length:])[0] != zlib.crc32(body):
                continue
            if got == kind | REPLY and tag == self._tag and length:
                return Status(rest[0]), rest[1:length]
        return None
