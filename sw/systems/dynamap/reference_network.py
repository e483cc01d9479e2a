"""A network on integers, computed in NumPy."""

from collections.abc import Mapping

from ...reference.arrays import IntegerArray
from ...reference.convolution.quantization import QuantizedNetwork

__all__ = ["ReferenceNetwork"]


class ReferenceNetwork:
    """The words that every backend has to give.

    Parameters
    ----------
    network : QuantizedNetwork
    """

    def __init__(self, network: QuantizedNetwork):
        self._network = network
        self._saturated = 0

    def infer(self, words: IntegerArray) -> Mapping[str, IntegerArray]:
        """The words of all tensors of the network, ``input`` included, for those of a picture.

        Raises
        ------
        ValueError
            Sums that do not fit the accumulators.
        """
        result = self._network.infer(words)
        self._saturated += sum(result.saturated.values())
        return result.words

    def counters(self) -> dict[str, int]:
        """How many words were saturated so far."""
        return {"saturated": self._saturated}

    def close(self) -> None:
        """Nothing is held."""
