"""A network on integers wherever it is computed."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ...reference.arrays import IntegerArray
from ...reference.convolution.quantization import QuantizedNetwork

__all__ = ["OpenNetwork", "RunningNetwork"]


class RunningNetwork(Protocol):
    """A network on a backend."""

    def infer(self, words: IntegerArray) -> Mapping[str, IntegerArray]:
        """The words of tensors by name, at least of the network's outputs, for those of a picture."""

    def counters(self) -> dict[str, Any]:
        """Counts by name; the count of saturated words has the name ``saturated``."""

    def close(self) -> None:
        """Gives back what it holds."""


# Opens a network on a backend.
OpenNetwork = Callable[[QuantizedNetwork], RunningNetwork]
