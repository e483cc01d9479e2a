"""A search tree beside another: every answer compared."""

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from ..core.lockstep import Comparison
from ..reference.tree.requests import Answer, Request

if TYPE_CHECKING:
    from .search_tree_backends import TreeBackend

__all__ = ["LockstepTree"]


class LockstepTree(Comparison):
    """A :class:`.TreeBackend` that asks both. They share requests and answers as values, and no row of a wire.

    Parameters
    ----------
    reference
        Tree whose answers count.
    device
        Device that has to give the same ones.

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

    def send(self, requests: Sequence[Request]) -> None:
        """Send requests to both."""
        self.reference.send(requests)
        self.device.send(requests)

    def receive(self, count: int) -> list[Answer]:
        """The next answers."""
        return self.both("answers", lambda tree: tree.receive(count), _columns)

    def counters(self) -> dict[str, int]:
        """Counts of the device, and those of the comparisons."""
        return {**self.device.counters(), **self.counts()}


def _columns(answers: Sequence[Answer]) -> dict[str, np.ndarray]:
    """Parts of answers, an array of each over all answers."""
    return {part.name: np.array([getattr(answer, part.name) for answer in answers], int) for part in fields(Answer)}
