"""Base of simulations in a C++ library, which have a handle until they are closed."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

__all__ = ["Handle", "in_parts"]

# Python sees a signal between two calls of a library: the largest systems simulate some thousand cycles per second.
PART_CYCLES = 2000


def in_parts(cycles: int, run: Callable[[int], int]) -> int:
    """Simulate in calls that return soon, so that Ctrl-C is seen; the cycles run.

    Parameters
    ----------
    cycles : int
        At most.
    run : callable
        Runs at most so many cycles; it returns how many, fewer if there is nothing left to wait for.
    """
    done = 0
    while done < cycles:
        part = min(PART_CYCLES, cycles - done)
        ran = run(part)
        done += ran
        if ran < part:
            break
    return done


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
