"""Drivers for Amaranth streams that stall at random, and the monitor of their rules."""

import os
from collections import deque
from collections.abc import Iterable
from typing import Any

import cocotb
from cocotb.triggers import Event, RisingEdge, SimTimeoutError, with_timeout

from .bench import CLOCK_PERIOD_NANOSECONDS, current_run, rng
from .codec import Codec, codec_of

# No wait in a bench is without a limit: a lost transaction ends in a message, not in a hang.
WAIT_LIMIT_VARIABLE = "REWARDWARE_WAIT_CYCLES"
WAIT_LIMIT_CYCLES = int(os.environ.get(WAIT_LIMIT_VARIABLE, "100000"))


class _Stream:
    def __init__(self, dut: Any, name: str, shape: Any, stall: float, clock: str):
        self.name = name
        self.stall = stall
        self.count = 0
        self._clock = getattr(dut, clock)
        # Amaranth leaves out a `valid` or `ready` that is always 1, and a payload without bits.
        self._valid = getattr(dut, f"{name}__valid", None)
        self._ready = getattr(dut, f"{name}__ready", None)
        self._payload = getattr(dut, f"{name}__payload", None)
        self._random = rng(f"stalls of {name}")
        self.codec: Codec = codec_of(shape) if shape is not None else _codec_of_port(name)
        self._mask = (1 << self.codec.width) - 1

    @property
    def stall(self) -> float:
        """Probability of holding back in a cycle, from 0 (never) to 1 (always); may be changed at any time."""
        return self._stall

    @stall.setter
    def stall(self, stall: float) -> None:
        if not 0 <= stall <= 1:
            raise ValueError(f"Stall must be a probability from 0 to 1, not {stall!r}")
        self._stall = float(stall)

    def _stalls(self) -> bool:
        return self._stall > 0 and self._random.random() < self._stall

    async def _wait(self, event: Event, complaint: str) -> None:
        try:
            await with_timeout(event.wait(), WAIT_LIMIT_CYCLES * CLOCK_PERIOD_NANOSECONDS, "ns")
        except SimTimeoutError:
            raise AssertionError(f"{complaint} within {WAIT_LIMIT_CYCLES} cycles") from None


class StreamSource(_Stream):
    """Sends values into an input stream of the component, in order.

    Once valid, a value stays until it is accepted; before each one the source holds back at random.

    Parameters
    ----------
    dut : handle
        The component.
    name : str
        Name of the stream.
    shape : shape-like or None
        Shape of the payload; None takes the component's own.
    stall : float
        Probability of holding back in a cycle.
    clock : str
        Port of the stream's clock.
    """

    def __init__(self, dut: Any, name: str, shape: Any = None, stall: float = 0.3, clock: str = "clk"):
        super().__init__(dut, name, shape, stall, clock)
        self._queue: deque[tuple[int, Event]] = deque()
        self._added = Event()
        if self._valid is not None:
            self._valid.value = 0
        cocotb.start_soon(self._drive())

    def put(self, value: Any) -> Event:
        """Queue a value; the event that is returned is set when it has been accepted."""
        accepted = Event()
        self._queue.append((self.codec.pack(value), accepted))
        self._added.set()
        return accepted

    async def send(self, value: Any) -> None:
        """Queue a value and wait until it has been accepted; a value sent at once after it follows without a gap."""
        index = self.count + len(self._queue)
        await self._wait(self.put(value), f"{self.name}[{index}]: not accepted")

    async def send_all(self, values: Iterable[Any]) -> None:
        """Send values one after the other."""
        for value in values:
            await self.send(value)

    async def _drive(self) -> None:
        while True:
            while not self._queue:
                self._added.clear()
                await self._added.wait()
            bits, accepted = self._queue[0]
            while self._stalls():
                await RisingEdge(self._clock)
            self._show(bits)
            if self._valid is not None:
                self._valid.value = 1
            await RisingEdge(self._clock)
            while self._ready is not None and not int(self._ready.value):
                await RisingEdge(self._clock)
            self._queue.popleft()
            self.count += 1
            accepted.set()
            # Between values the payload is noise, so that a component that ignores `valid` is found out.
            if self._valid is not None:
                self._valid.value = 0
                self._show(int.from_bytes(self._random.bytes((self.codec.width + 7) // 8)) & self._mask)

    def _show(self, bits: int) -> None:
        if self._payload is not None:
            self._payload.value = bits


class StreamSink(_Stream):
    """Takes values out of an output stream of the component, and checks the rules of streams while it does.

    It accepts values from the start, holding back at random, whether or not somebody waits for them. A value
    that changes or is withdrawn while it waits fails the bench.

    Parameters
    ----------
    dut : handle
        The component.
    name : str
        Name of the stream.
    shape : shape-like or None
        Shape of the payload; None takes the component's own.
    stall : float
        Probability of holding back in a cycle.
    clock : str
        Port of the stream's clock.
    """

    def __init__(self, dut: Any, name: str, shape: Any = None, stall: float = 0.3, clock: str = "clk"):
        super().__init__(dut, name, shape, stall, clock)
        self._queue: deque[Any] = deque()
        self._received = Event()
        if self._ready is not None:
            self._ready.value = 0
        cocotb.start_soon(self._take())

    def __len__(self) -> int:
        """Number of values taken from the component and not yet received by the bench."""
        return len(self._queue)

    async def receive(self) -> Any:
        """The next value."""
        while not self._queue:
            self._received.clear()
            await self._wait(self._received, f"{self.name}[{self.count}]: nothing came")
        return self._queue.popleft()

    async def receive_all(self, count: int) -> list[Any]:
        """The next ``count`` values."""
        return [await self.receive() for _ in range(count)]

    async def _take(self) -> None:
        waiting: int | None = None
        while True:
            ready = self._ready is None or not self._stalls()
            if self._ready is not None:
                self._ready.value = int(ready)
            await RisingEdge(self._clock)
            valid = self._valid is None or int(self._valid.value)
            bits = int(self._payload.value) if valid and self._payload is not None else 0
            if waiting is not None and not valid:
                raise AssertionError(f"{self.name}[{self.count}]: valid withdrawn before the value was accepted")
            if waiting is not None and bits != waiting:
                raise AssertionError(
                    f"{self.name}[{self.count}]: payload changed while it waited, from {waiting:#x} to {bits:#x}"
                )
            waiting = None
            if valid and ready:
                self._queue.append(self.codec.unpack(bits))
                self.count += 1
                self._received.set()
            elif valid:
                waiting = bits


def _codec_of_port(name: str) -> Codec:
    streams = current_run().streams
    if name not in streams:
        raise ValueError(f"Stream must be one of {', '.join(sorted(streams)) or 'none'}, not {name!r}")
    return streams[name]
