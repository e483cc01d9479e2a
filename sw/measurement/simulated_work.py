"""Work that keeps a simulated device busy, to measure the simulator with."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["SimulatedWork", "Simulation", "Stopwatch"]


class Simulation(Protocol):
    """A simulation that runs.

    Members
    -------
    run_cycles : int
        Clock cycles so far.
    run_seconds : float
        Time that they took, without what drives the device.
    size : DesignSize
        Size of the design.
    """

    run_cycles: int
    run_seconds: float

    @property
    def size(self) -> Any:
        """Size of the design."""
        ...


@dataclass(frozen=True)
class SimulatedWork:
    """Work of a device in the simulator.

    Parameters
    ----------
    what : str
        It does, in words.
    open : callable
        Builds the simulator, with so many threads, and opens the device: what the others take.
    simulation : callable
        The simulation in it.
    work : callable
        Does it, the :class:`Stopwatch` running while the device has to compute: loading does not count.
    close : callable
        Gives it back.
    """

    what: str
    open: Callable[[int], Any]
    simulation: Callable[[Any], Simulation]
    work: Callable[[Any, "Stopwatch"], None]
    close: Callable[[Any], None]


class Stopwatch:
    """Cycles and seconds of the parts of a simulation that count.

    Members
    -------
    cycles : int
    seconds : float
    """

    def __init__(self, simulation: Simulation):
        self._simulation = simulation
        self.cycles, self.seconds = 0, 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        cycles, seconds = self._simulation.run_cycles, self._simulation.run_seconds
        yield
        self.cycles += self._simulation.run_cycles - cycles
        self.seconds += self._simulation.run_seconds - seconds
