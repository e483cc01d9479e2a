"""A network on two backends beside each other: every tensor that both give is compared."""

from collections.abc import Mapping
from typing import Any

from ...core.lockstep import Comparison
from ...reference.arrays import IntegerArray

__all__ = ["LockstepNetwork"]


class LockstepNetwork(Comparison):
    """Two of a network that both infer every picture.

    Parameters
    ----------
    reference
        Network whose words count.
    device
        Network that has to come to the same ones.
    outputs : tuple of str
        Names of the tensors that both have to give. Others are compared where both give them, in the order in which the
        reference does: the first that differs is that of the layer that is wrong.

    Raises
    ------
    LockstepError
        At the first word that differs, and where an output is missing.
    """

    def __init__(self, reference: Any, device: Any, outputs: tuple[str, ...]):
        super().__init__(reference, device, 1, "Picture")
        self._outputs = outputs

    def infer(self, words: IntegerArray) -> Mapping[str, IntegerArray]:
        """The reference's words by the names of tensors, after the device has given the same ones."""
        expected: Mapping[str, IntegerArray] = self.reference.infer(words)
        given: Mapping[str, IntegerArray] = self.device.infer(words)
        names = [name for name in expected if name in given or name in self._outputs]
        for name in names:
            self.compare("words", {name: expected[name]}, {each: given[each] for each in (name,) if each in given})
        self.steps += 1
        self.steps_checked += 1
        return expected

    def counters(self) -> dict[str, Any]:
        """Counters of both, the device's where they have the same name, and how much was compared."""
        return {**self.reference.counters(), **self.device.counters(), **self.counts()}
