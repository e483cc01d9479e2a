"""A Zynq board as a link: registers over PYNQ's MMIO, rows over the channels of an AXI DMA."""

import importlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...hw.soc.bus.registers import WORD_BYTES, Access, Register, Window
from ...hw.soc.shell.registers import State
from .errors import DeviceError, DeviceTimeout

__all__ = ["DMA_NAME", "IP_NAME", "PynqTransport"]

# Names of the instances in the block design that `rewardware package` writes.
IP_NAME = "rewardware_0"
DMA_NAME = "axi_dma_0"
# Registers of the AXI DMA, and their bits, in direct register mode (AMD PG021).
MM2S_CONTROL, S2MM_STATUS = 0x00, 0x34
RESET, INTERNAL_ERROR = 1 << 2, 1 << 4
# Bytes of the longest packet that is received, unless a user gives another number.
RECEIVE_BYTES = 4 << 20
# A fabric that is slower than this gets less time than a caller of `advance` asks for.
SLOWEST_CLOCK_HZ = 10_000_000
POLL_SECONDS = 20e-6
START = 1


class PynqTransport:
    """A :class:`Transport` to a system in the fabric of a Zynq, from Python on its processors.

    A packet is one transfer of the DMA in direct register mode: TLAST comes with its last row. The length of a packet
    that the device sends stands in the DMA's register when it has ended; it may have as many rows as the buffer that
    waits for it. Rows are copied between arrays and two buffers of contiguous memory. The end of a program is polled
    for: the block design may leave the interrupt open.

    Accesses that the device would answer with SLVERR are refused here: a processor takes that answer as a fault of
    the bus, and the program, or the board, would end.

    Parameters
    ----------
    bitstream : str
        Path of the ``.bit`` file, with its ``.hwh`` file beside it.
    config : object
    ip : str
        Instance of the system in the block design.
    dma : str
        Instance of the AXI DMA: both channels, without scatter-gather.
    download : bool
        Configure the fabric, even if it has this bitstream already. Without, the device keeps the state that it is in.
    packet_rows : int or None
        Rows of the longest packet that is received; None: those of 4 MiB, or of what the DMA can count.
    timeout : float
        Seconds without any row after which a device is given up.

    Raises
    ------
    DeviceError
        The package `pynq` is missing, or the bitstream, or an instance in it; or the DMA is no use.
    ValueError
        ``packet_rows`` is none that the DMA can receive.
    """

    def __init__(
        self,
        bitstream: str,
        config: Any,
        *,
        ip: str = IP_NAME,
        dma: str = DMA_NAME,
        download: bool = True,
        packet_rows: int | None = None,
        timeout: float = 1.0,
    ):
        self.name = f"The device in {Path(bitstream).name}"
        self._lanes: int = config.shell.stream_lanes
        self._row_bytes = 4 * self._lanes
        self._map = config.shell.address_map
        self._timeout = timeout
        self._unsent: list[np.ndarray] = []
        self._rows: list[np.ndarray] = []
        self._last: list[bool] = []
        self._sending = False
        # Whether either side may be within a packet that the other one knows nothing of.
        self._cut = not download
        self._source: Any = None
        self._target: Any = None
        self._pynq = self._library()
        try:
            overlay = self._pynq.Overlay(bitstream, download=download)
        except (OSError, RuntimeError, ValueError) as error:
            raise DeviceError(f"{self.name} cannot be opened: {error}") from None
        self._registers, self._dma = self._instance(overlay, ip), self._instance(overlay, dma)
        self._send_channel: Any = getattr(self._dma, "sendchannel", None)
        self._receive_channel: Any = getattr(self._dma, "recvchannel", None)
        if self._send_channel is None or self._receive_channel is None:
            raise DeviceError(f"{dma} in {bitstream} must be an AXI DMA with both channels, without scatter-gather")
        self._longest: int = self._dma.buffer_max_size // self._row_bytes
        rows = min(self._longest, RECEIVE_BYTES // self._row_bytes) if packet_rows is None else packet_rows
        if not 1 <= rows <= self._longest:
            raise ValueError(
                f"packet_rows must be from 1 to {self._longest}, the most that {dma} can count in rows of "
                f"{self._row_bytes} bytes, not {rows}"
            )
        self._restart()
        self._target = self._allocate(rows)
        self._receive()

    def _library(self) -> Any:
        try:
            return importlib.import_module("pynq")
        except ImportError as error:
            raise DeviceError(
                f"{self.name} needs the package pynq, which the image of a PYNQ board has "
                f"(elsewhere: pip install pynq): {error}"
            ) from None

    def _instance(self, overlay: Any, name: str) -> Any:
        if name not in overlay.ip_dict:
            there = ", ".join(sorted(overlay.ip_dict)) or "none"
            raise DeviceError(f"{self.name} has no instance {name!r}; its block design has {there}")
        return getattr(overlay, name)

    def _allocate(self, rows: int) -> Any:
        try:
            return self._pynq.allocate(shape=(rows, self._lanes), dtype=np.uint32)
        except (MemoryError, OSError, RuntimeError) as error:
            raise DeviceError(
                f"{self.name} gets no contiguous memory for {rows} rows of {self._row_bytes} bytes: {error}"
            ) from None

    def read(self, address: int) -> int:
        """A 32-bit word."""
        item = self._item(address)
        if not isinstance(item, Register):
            raise DeviceError(f"{self.name} refused to read address {address:#06x}")
        return int(self._registers.read(address))

    def write(self, address: int, value: int) -> None:
        """Write a 32-bit word."""
        item = self._item(address)
        refused = item is None or (isinstance(item, Register) and item.access in (Access.CONSTANT, Access.READ_ONLY))
        if address == self._map["control"].address and value & START:
            refused = value != START or self._state() in (State.RUNNING, State.ERROR)
        if refused:
            raise DeviceError(f"{self.name} refused to write address {address:#06x}")
        self._registers.write(address, value)

    def write_words(self, address: int, values: Sequence[int]) -> None:
        """Write 32-bit words to consecutive addresses."""
        for index, value in enumerate(values):
            self.write(address + 4 * index, value)

    def _item(self, address: int) -> Register | Window | None:
        """The item at an address of the map, if it is that of a word."""
        for placed in self._map.placed:
            if placed.address <= address < placed.end and address % WORD_BYTES == 0:
                return placed.item  # type: ignore[no-any-return]
        return None

    def _state(self) -> State:
        return State.of(int(self._registers.read(self._map["status"].address)))

    def send(self, rows: np.ndarray) -> None:
        """Queue one packet; ``DeviceError`` for one that the DMA cannot send as one."""
        if len(rows) > self._longest:
            raise DeviceError(
                f"{self.name} takes packets of at most {self._longest} rows, the most that its DMA counts, not of "
                f"{len(rows)}: make its length register wider"
            )
        self._unsent.append(np.array(rows, dtype=np.uint32))

    def receive(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows that have arrived, and for each whether it ends a packet."""
        rows = np.concatenate([np.empty((0, self._lanes), np.uint32), *self._rows])
        last = np.array(self._last, dtype=bool)
        self._rows, self._last = [], []
        return rows, last

    def advance(self, cycles: int, *, until_done: bool = False, rows: int = 0) -> None:
        """Exchange packets until the device is done, ``rows`` have arrived, or nothing has moved for the time-out;
        without either condition for the time that ``cycles`` take. The fabric's clock runs by itself."""
        waiting = until_done or rows > 0
        limit = self._timeout if waiting else cycles / SLOWEST_CLOCK_HZ
        try:
            deadline = time.monotonic() + limit
            while True:
                if moved := self._exchange():
                    deadline = max(deadline, time.monotonic() + limit * waiting)
                if until_done and self._state() is not State.RUNNING:
                    self._exchange()
                    return
                if (rows and len(self._last) >= rows) or time.monotonic() > deadline:
                    return
                if not moved:
                    time.sleep(POLL_SECONDS)
        except BaseException:
            # Ctrl-C as well: a transfer may have begun that nobody here knows of.
            self._cut = True
            raise

    def forget(self) -> None:
        """Drop all rows queued and arrived. Packets under way end by the rules of streams; where one was cut off, a row
        ends it."""
        self._unsent.clear()
        if self._cut:
            self._restart()
            self._receive()
            self._transmit(np.zeros((1, self._lanes), np.uint32))
            self._cut = False
        self._exchange()
        self._rows.clear()
        self._last.clear()

    def close(self) -> None:
        """Stop the DMA and give its memory back."""
        if self._target is None:
            return
        # Never before the DMA has let go of it.
        self._restart()
        for buffer in (self._source, self._target):
            if buffer is not None:
                buffer.freebuffer()
        self._source = self._target = None

    def _exchange(self) -> bool:
        """Whether a transfer ended, after which the next one was begun."""
        moved = False
        self._check(self._send_channel, "sends")
        self._check(self._receive_channel, "receives")
        if self._sending and self._send_channel.idle:
            self._sending, moved = False, True
        if self._unsent and not self._sending:
            self._transmit(self._unsent[0])
            self._unsent.pop(0)
            moved = True
        if self._receive_channel.idle:
            self._take()
            self._receive()
            moved = True
        return moved

    def _transmit(self, rows: np.ndarray) -> None:
        if self._source is None or len(self._source) < len(rows):
            if self._source is not None:
                self._source.freebuffer()
                self._source = None
            self._source = self._allocate(len(rows))
        self._source[: len(rows)] = rows
        self._send_channel.transfer(self._source, nbytes=rows.nbytes)
        self._sending = True

    def _receive(self) -> None:
        self._receive_channel.transfer(self._target)

    def _take(self) -> None:
        """Take over the packet that was received."""
        # Returns at once; it makes the processor see what the DMA wrote.
        self._receive_channel.wait()
        transferred = int(self._receive_channel.transferred)
        count, rest = divmod(transferred, self._row_bytes)
        if rest or not count:
            raise DeviceError(
                f"{self.name} sent {transferred} bytes, not a multiple of the {self._row_bytes} of a row: its stream "
                "must be as wide as the configuration says"
            )
        self._rows.append(np.array(self._target[:count], dtype=np.uint32))
        self._last += [False] * (count - 1) + [True]

    def _check(self, channel: Any, verb: str) -> None:
        """Say why a channel works no more, if it does not."""
        if channel.error:
            status = self._dma.read(S2MM_STATUS)
            if channel is self._receive_channel and status & INTERNAL_ERROR:
                raise DeviceError(
                    f"{self.name} sent a packet of more than {len(self._target)} rows, for which the buffer has room: "
                    "soft_reset(), and open it with packet_rows= of as many as it sends"
                )
            raise DeviceError(f"The DMA of {self.name[0].lower()}{self.name[1:]} {verb} no more: an error on its bus")
        if not channel.running:
            raise DeviceError(f"The DMA of {self.name[0].lower()}{self.name[1:]} {verb} no more: it was stopped")

    def _restart(self) -> None:
        """Reset both channels of the DMA, and start them."""
        self._dma.write(MM2S_CONTROL, RESET)
        self._wait(lambda: not self._dma.read(MM2S_CONTROL) & RESET, "the DMA did not leave its reset")
        self._send_channel.start()
        self._receive_channel.start()
        self._sending = False

    def _wait(self, ready: Callable[[], bool], problem: str) -> None:
        deadline = time.monotonic() + self._timeout
        while not ready():
            if time.monotonic() > deadline:
                raise DeviceTimeout(f"{self.name} does not answer: {problem} within {self._timeout} s")
