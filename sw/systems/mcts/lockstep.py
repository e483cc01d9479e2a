"""A search tree beside another: every answer compared."""

from typing import TYPE_CHECKING

import numpy as np

from ...core.lockstep import Comparison

if TYPE_CHECKING:
    from .backends import TreeBackend

__all__ = ["LockstepTree"]


class LockstepTree(Comparison):
    """A :class:`.TreeBackend` that asks both.

    Parameters
    ----------
    reference
        Whose answers count.
    device
        What has to give the same ones.

    Raises
    ------
    LockstepError
        At the first answer that differs.
    """

    reference: "TreeBackend"
    device: "TreeBackend"

    def __init__(self, reference: "TreeBackend", device: "TreeBackend"):
        super().__init__(reference, device, 1, "Packet")
        self.config = reference.config

    def write_registers(self, registers: dict[str, int]) -> None:
        """Set the registers of both."""
        self.reference.write_registers(registers)
        self.device.write_registers(registers)

    def send(self, rows: np.ndarray) -> None:
        """Send requests to both."""
        self.reference.send(rows)
        self.device.send(rows)

    def receive(self, count: int) -> np.ndarray:
        """The next answers."""
        answers = self.reference.receive(count)
        self.compare("answers", {"row": answers}, {"row": self.device.receive(count)})
        self.steps += 1
        self.steps_checked += 1
        return answers

    def counters(self) -> dict[str, int]:
        """What the device has counted, and the comparisons."""
        return {**self.device.counters(), **self.counts()}
