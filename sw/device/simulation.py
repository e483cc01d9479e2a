"""The simulator as a link."""

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import DeviceError

__all__ = ["SimulationTransport"]


class SimulationTransport:
    """A :class:`Transport` to a simulated system.

    Parameters
    ----------
    config : object
    options
        Options that :class:`AxiSimulation` takes: ``waveform``, ``threads``, ``seed``, ``stall``, ``whole``.
    """

    name = "The simulated device"

    def __init__(self, config: Any, **options: Any):
        # Only a user of the simulator needs what it is made of.
        from ...sim.harness.axi import AxiSimulation

        registers = config.shell.address_map
        self._status_address: int = registers["interrupt_status"].address
        self._every_interrupt: int = (1 << registers["interrupt_status"].item.width) - 1
        with contextlib.ExitStack() as opened:
            self.simulation = AxiSimulation(config, **options)
            opened.callback(self.simulation.close)
            self.write(registers["interrupt_enable"].address, self._every_interrupt)
            opened.pop_all()

    def read(self, address: int) -> int:
        """A 32-bit word."""
        value, response = self.simulation.read(address)
        if response:
            raise DeviceError(f"{self.name} refused to read address {address:#06x}")
        return value

    def write(self, address: int, value: int) -> None:
        """Write a 32-bit word."""
        if self.simulation.write(address, value):
            raise DeviceError(f"{self.name} refused to write address {address:#06x}")

    def write_words(self, address: int, values: Sequence[int]) -> None:
        """Write 32-bit words to consecutive addresses."""
        for index, value in enumerate(values):
            self.write(address + 4 * index, value)

    def send(self, rows: np.ndarray) -> None:
        """Queue one packet."""
        self.simulation.send(rows)

    def receive(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows that have arrived, and for each whether it ends a packet."""
        return self.simulation.receive()

    def advance(self, cycles: int, *, until_done: bool = False, rows: int = 0) -> None:
        """Run the simulation."""
        self.simulation.run(cycles, until_interrupt=until_done, rows=rows)
        if until_done:
            self.write(self._status_address, self._every_interrupt)

    def forget(self) -> None:
        """Drop all rows queued and arrived."""
        self.simulation.forget()

    def close(self) -> None:
        """End the simulation."""
        self.simulation.close()
