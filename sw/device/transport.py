"""The interface of links to a device; the driver does the rest."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

__all__ = ["Transport"]


class Transport(Protocol):
    """A link to one device. Rows queued go to the device, and rows that come from it are collected, during
    :meth:`advance`."""

    @property
    def name(self) -> str:
        """For messages."""
        ...

    def read(self, address: int) -> int:
        """A 32-bit word; ``DeviceError`` where there is none."""
        ...

    def write(self, address: int, value: int) -> None:
        """Write a 32-bit word; ``DeviceError`` where the device refuses."""
        ...

    def write_words(self, address: int, values: Sequence[int]) -> None:
        """Write 32-bit words to consecutive addresses."""
        ...

    def send(self, rows: np.ndarray) -> None:
        """Queue one packet, shape (n, lanes)."""
        ...

    def receive(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows that have arrived, and for each whether it ends a packet."""
        ...

    def advance(self, cycles: int, *, until_done: bool = False, rows: int = 0) -> None:
        """Let the device work for about ``cycles`` clock cycles, or less: until it is done or ``rows`` have arrived."""
        ...

    def forget(self) -> None:
        """Drop all rows queued and arrived."""
        ...

    def close(self) -> None:
        """Give the link back."""
        ...
