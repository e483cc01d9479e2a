"""A whole system in the simulator, driven as the host drives a board: registers, rows, run."""

import ctypes
import functools
import time
from pathlib import Path
from typing import Any

import numpy as np

from ...hw.soc.bus.axi_top import AxiTop
from ...hw.soc.devices import component_of
from ..verilator.build import build_library, design_size
from ..verilog.emitted import emitted
from .handle import Handle, in_parts

# An AXI4-Lite transaction takes some ten cycles; one that takes this long never ends.
ACCESS_LIMIT_CYCLES = 10_000
TIMED_OUT = -1


class AxiRuleError(RuntimeError):
    """The simulated system broke a rule of AXI; the text says which, and when."""


class AxiSimulation(Handle):
    """A Verilated system with AXI masters in C++, and the rules of AXI, which it is held to in every cycle.

    :meth:`read`, :meth:`write` and :meth:`run` raise ``AxiRuleError`` when it breaks one.

    Parameters
    ----------
    config : object
        With ``system`` and ``shell``.
    waveform : path or None
        Write an FST waveform there; slower.
    threads : int or None
        Simulation threads; None: ``REWARDWARE_THREADS``, else 1.
    seed : int
        Makes the stalls.
    stall : float
        Probability that a stream, or a channel of AXI4-Lite, holds back in a cycle.
    whole : bool
        Compile as a whole, however large: what simulations in blocks are compared with.

    Members
    -------
    run_cycles, run_seconds : int, float
        Clock cycles of :meth:`run`, and the time that they took.
    size : DesignSize
    """

    def __init__(
        self,
        config: Any,
        *,
        waveform: str | Path | None = None,
        threads: int | None = None,
        seed: int = 0,
        stall: float = 0.0,
        whole: bool = False,
    ):
        if not 0 <= stall < 1:
            raise ValueError(f"Stall must be a probability from 0 to below 1, not {stall!r}")
        self.lanes: int = config.shell.stream_lanes
        self.run_seconds = 0.0
        self.run_cycles = 0
        name = f"{config.system}_axi"
        library = build_library(
            emitted(AxiTop(component_of(config)), name, told=True),
            name,
            [Path(__file__).with_name("axi_harness.cpp")],
            trace=waveform is not None,
            threads=threads,
            whole=whole,
        )
        self.size = design_size(library)
        self._library = _load(str(library))
        path = None if waveform is None else str(waveform).encode()
        self._handle = self._library.harness_open(self.lanes, path, seed, stall)

    def read(self, address: int) -> tuple[int, int]:
        """The value of a word and the bus's response (0 is good, 2 refused); ``TimeoutError`` if there is none."""
        value = ctypes.c_uint32()
        response = self._library.harness_read(self._open, address, ctypes.byref(value), ACCESS_LIMIT_CYCLES)
        self._check_rules()
        if response == TIMED_OUT:
            raise TimeoutError(f"Read of address {address:#06x} had no answer in {ACCESS_LIMIT_CYCLES} cycles")
        return value.value, response

    def write(self, address: int, value: int) -> int:
        """Write a word; returns the bus's response."""
        response: int = self._library.harness_write(self._open, address, value, ACCESS_LIMIT_CYCLES)
        self._check_rules()
        if response == TIMED_OUT:
            raise TimeoutError(f"Write to address {address:#06x} had no answer in {ACCESS_LIMIT_CYCLES} cycles")
        return response

    def send(self, rows: np.ndarray, *, last: bool = True) -> None:
        """Queue rows of 32-bit words, shape (n, lanes), the last ending a packet; they go while it runs."""
        rows = np.ascontiguousarray(rows, dtype=np.uint32)
        self._library.harness_send(self._open, rows.ctypes.data, len(rows), int(last))

    @property
    def unsent(self) -> int:
        """Rows queued that the system has not taken."""
        return int(self._library.harness_unsent(self._open))

    def receive(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows that have arrived, and for each whether it ends a packet."""
        count = self._library.harness_available(self._open)
        rows = np.empty((count, self.lanes), dtype=np.uint32)
        last = np.empty(count, dtype=np.uint8)
        self._library.harness_receive(self._open, rows.ctypes.data, last.ctypes.data, count)
        return rows, last.astype(bool)

    def forget(self) -> None:
        """Drop all rows queued and arrived, but for those that the rules of streams demand: a row that is offered, and
        one that ends a packet which has begun."""
        self._library.harness_forget(self._open)

    def run(self, cycles: int, *, until_interrupt: bool = False, rows: int = 0) -> int:
        """Run for ``cycles``, or less: until the interrupt, or until ``rows`` have arrived. Returns the cycles run."""
        before = time.perf_counter()
        count = in_parts(
            cycles, lambda part: int(self._library.harness_run(self._open, part, int(until_interrupt), rows))
        )
        self.run_seconds += time.perf_counter() - before
        self.run_cycles += count
        self._check_rules()
        return count

    @property
    def cycle(self) -> int:
        """Clock cycles since the system came to life."""
        return int(self._library.harness_cycle(self._open))

    @property
    def cycles_per_second(self) -> float:
        """Speed of :meth:`run` so far."""
        return self.run_cycles / self.run_seconds if self.run_seconds else 0.0

    def _check_rules(self) -> None:
        broken = self._library.harness_broken(self._open).decode()
        if broken:
            raise AxiRuleError(f"The system breaks a rule of AXI: {broken}")

    def _end(self, handle: int) -> None:
        self._library.harness_close(handle)


@functools.cache
def _load(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    handle, word, count, pointer = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "open": (handle, [ctypes.c_int, ctypes.c_char_p, count, ctypes.c_double]),
        "close": (None, [handle]),
        "write": (ctypes.c_int, [handle, word, word, count]),
        "read": (ctypes.c_int, [handle, word, ctypes.POINTER(word), count]),
        "send": (None, [handle, pointer, count, ctypes.c_int]),
        "unsent": (count, [handle]),
        "available": (count, [handle]),
        "receive": (count, [handle, pointer, pointer, count]),
        "forget": (None, [handle]),
        "run": (count, [handle, count, ctypes.c_int, count]),
        "cycle": (count, [handle]),
        "broken": (ctypes.c_char_p, [handle]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, f"harness_{name}")
        function.restype, function.argtypes = result, arguments
    return library
