"""How fast a simulator is, on one core and built anew, and the array that machines are told apart by."""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .simulated_work import SimulatedWork, Stopwatch

__all__ = ["UNITS", "UNIT_RUNS", "SimulatorSpeed", "empty_cache", "measure_array", "measure_simulator", "one_core"]

# Size of the array.
UNITS = 64
UNIT_CYCLES, UNIT_RUNS = 100_000, 7


@dataclass(frozen=True)
class SimulatorSpeed:
    """Measured speed of a simulator.

    Parameters
    ----------
    cycles_per_second : float
    cycles : int
        Cycles of the work.
    build_seconds : float
        Elaboration, Verilator and compiler.
    size : DesignSize
    """

    cycles_per_second: float
    cycles: int
    build_seconds: float
    size: Any


def measure_array() -> float:
    """Cycles a second of an array of multiply-accumulate units as a whole, on one core: the best of several runs."""
    from ...sim.harness.streams import StreamSimulation
    from .unit_array import UnitArray

    speeds = []
    with one_core(), empty_cache(), StreamSimulation(UnitArray(UNITS), whole=True) as simulation:
        for _ in range(UNIT_RUNS):
            stopwatch = Stopwatch(simulation)
            simulation.send("i", [UNIT_CYCLES])
            with stopwatch.running():
                simulation.receive("o", 1, 2 * UNIT_CYCLES)
            speeds.append(stopwatch.cycles / stopwatch.seconds)
    return max(speeds)


def measure_simulator(work: SimulatedWork, threads: int) -> SimulatorSpeed:
    """Build a simulator, and let it work."""
    started = time.perf_counter()
    opened = work.open(threads)
    built = time.perf_counter() - started
    try:
        simulation = work.simulation(opened)
        stopwatch = Stopwatch(simulation)
        work.work(opened, stopwatch)
        return SimulatorSpeed(stopwatch.cycles / stopwatch.seconds, stopwatch.cycles, built, simulation.size)
    finally:
        work.close(opened)


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Within it this process, and those that it starts, have one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def empty_cache() -> Iterator[None]:
    """Within it nothing has been built yet."""
    from ...sim.verilator.cache import CACHE_VARIABLE

    before = os.environ.get(CACHE_VARIABLE)
    with tempfile.TemporaryDirectory(prefix="rewardware-cache-") as folder:
        os.environ[CACHE_VARIABLE] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ[CACHE_VARIABLE]
            else:
                os.environ[CACHE_VARIABLE] = before
