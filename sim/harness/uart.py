"""A simulated board behind a serial port: what a driver opens is a pseudo-terminal."""

import ctypes
import functools
import os
import pty
import select
import threading
import tty
from pathlib import Path
from typing import Any, Self

from ...hw.soc.bus.uart_bridge import UartTop
from ...hw.soc.bus.uart_config import UartConfig
from ...hw.soc.devices import component_of
from ..verilator.build import build_library
from ..verilog.emitted import emitted

# Few clock cycles a bit: the simulation is slower than any wire.
SIMULATED_UART = UartConfig(divisor=4)
CHUNK_CYCLES = 2_000
BUFFER_BYTES = 65_536
IDLE_SECONDS = 0.001


class SimulatedBoard:
    """A Verilated ``UartTop`` that runs in a thread; ``port`` is the serial port it is behind.

    Parameters
    ----------
    config : object
        With ``system`` and ``shell``.
    uart : UartConfig
    waveform : path or None
        Write an FST waveform there.
    """

    def __init__(self, config: Any, *, uart: UartConfig = SIMULATED_UART, waveform: str | Path | None = None):
        name = f"{config.system}_uart"
        library = build_library(
            emitted(UartTop(component_of(config), uart), name, told=True),
            name,
            [Path(__file__).with_name("uart_harness.cpp")],
            trace=waveform is not None,
        )
        self._library = _load(str(library))
        path = None if waveform is None else str(waveform).encode()
        self._handle = self._library.board_open(uart.divisor, path)
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.port = os.ttyname(self._slave)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, name=f"board at {self.port}", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        buffer = ctypes.create_string_buffer(BUFFER_BYTES)
        unwritten = b""
        while not self._stop.is_set():
            idle = not unwritten and not self._library.board_pending(self._handle)
            readable, _, _ = select.select([self._master], [], [], IDLE_SECONDS if idle else 0)
            if readable:
                arrived = os.read(self._master, BUFFER_BYTES)
                self._library.board_put(self._handle, arrived, len(arrived))
            self._library.board_run(self._handle, CHUNK_CYCLES)
            count = self._library.board_get(self._handle, buffer, BUFFER_BYTES - len(unwritten))
            unwritten += buffer.raw[:count]
            if unwritten:
                try:
                    unwritten = unwritten[os.write(self._master, unwritten) :]
                except BlockingIOError:
                    self._stop.wait(IDLE_SECONDS)

    def close(self) -> None:
        """Stop the board."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._thread.join()
        self._library.board_close(self._handle)
        os.close(self._master)
        os.close(self._slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@functools.cache
def _load(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    handle, count, text = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "open": (handle, [ctypes.c_int, text]),
        "close": (None, [handle]),
        "put": (None, [handle, text, count]),
        "get": (count, [handle, text, count]),
        "pending": (count, [handle]),
        "run": (None, [handle, count]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, f"board_{name}")
        function.restype, function.argtypes = result, arguments
    return library
