"""What simulations in a C++ library have in common: a handle, until they are closed."""

from abc import ABC, abstractmethod
from typing import Self

__all__ = ["Handle"]


class Handle(ABC):
    """A simulation that can be used with ``with``, and not after it was closed."""

    _handle: int | None

    @abstractmethod
    def _end(self, handle: int) -> None:
        """Let the library end the simulation."""

    def close(self) -> None:
        """End the simulation and complete the waveform; nothing, the second time."""
        handle, self._handle = self._handle, None
        if handle is not None:
            self._end(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _open(self) -> int:
        if self._handle is None:
            raise RuntimeError("The simulation is closed")
        return self._handle
