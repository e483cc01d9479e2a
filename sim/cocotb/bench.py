"""Beginning of every bench: its parameters, its random numbers, clock and reset."""

import functools
import os
import pickle
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

from .codec import Codec

RUN_VARIABLE = "REWARDWARE_RUN"
CLOCK_PERIOD_NANOSECONDS = 10


@dataclass(frozen=True, kw_only=True)
class Run:
    """Settings of a run that :func:`simulate` hands to the bench.

    Parameters
    ----------
    parameters : dict
        Parameters of the bench.
    seed : int
        Seed of everything random in it.
    streams : dict
        For each stream of the component the codec of its payload.
    timeout_s : float
        Wall-clock limit in seconds.
    waveform : str or None
        Path of the waveform being written.
    inputs : dict
        Width of each input port, by its flattened name.
    """

    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    streams: dict[str, Codec] = field(default_factory=dict)
    timeout_s: float = 300
    waveform: str | None = None
    inputs: dict[str, int] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write to ``path``."""
        path.write_bytes(pickle.dumps(self))


@functools.cache
def current_run() -> Run:
    """The run that this process simulates."""
    path = os.environ.get(RUN_VARIABLE)
    if path is None:
        raise RuntimeError("A bench runs inside rewardware.sim.cocotb.simulate, not by itself")
    run = pickle.loads(Path(path).read_bytes())
    assert isinstance(run, Run)
    return run


def parameters() -> dict[str, Any]:
    """The ``parameters`` given to :func:`simulate`."""
    return current_run().parameters


def rng(name: str = "") -> np.random.Generator:
    """A random generator of this run's seed; different names give independent ones."""
    return np.random.default_rng([current_run().seed, zlib.crc32(name.encode())])


async def clock_and_reset(dut: Any, *, cycles: int = 2, clock: str = "clk", reset: str = "rst") -> None:
    """Start the clock and hold the reset for some cycles; returns just after the edge that ends it.

    A component without a clock (all of it combinational) is given a moment to settle instead.
    """
    clock_port, reset_port = getattr(dut, clock, None), getattr(dut, reset, None)
    if clock_port is None:
        await Timer(CLOCK_PERIOD_NANOSECONDS, "ns")
        return
    if reset_port is not None:
        reset_port.value = 1
    Clock(clock_port, CLOCK_PERIOD_NANOSECONDS, unit="ns").start(start_high=False)
    for _ in range(cycles):
        await RisingEdge(clock_port)
    if reset_port is not None:
        reset_port.value = 0
