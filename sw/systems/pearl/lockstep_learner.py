"""The RTL of a learner beside its reference: every weight, moment and priority compared."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.lockstep import Comparison
from ...reference.learner_batch import LearnerBatch

if TYPE_CHECKING:
    from .learner_backends import LearnerBackend, Rates

__all__ = ["LockstepLearner"]


class LockstepLearner(Comparison):
    """A :class:`.LearnerBackend` that has both take every gradient step, and compares all that it leaves.

    Parameters
    ----------
    reference
        Learner whose numbers count.
    device
        Learner that has to come to the same ones.

    Raises
    ------
    LockstepError
        At the first number that differs.
    """

    reference: "LearnerBackend"
    device: Any

    def __init__(self, reference: "LearnerBackend", device: Any):
        super().__init__(reference, device, 1, "Gradient step")
        self.config = reference.config

    @property
    def cycles(self) -> int:
        """Cycles of the device's last gradient step."""
        return self.device.cycles

    def load(self, array: str, numbers: np.ndarray) -> None:
        """Set an array of both."""
        self.reference.load(array, numbers)
        self.device.load(array, numbers)

    def store(self, array: str) -> np.ndarray:
        """The numbers of an array."""
        numbers = self.reference.store(array)
        self.compare("store", {array: numbers}, {array: self.device.store(array)})
        return numbers

    def step(self, batch: LearnerBatch, rates: "Rates", tau: float, **settings: float) -> np.ndarray:
        """A gradient step of both."""
        priorities = self.reference.step(batch, rates, tau, **settings)
        found = self.device.step(batch, rates, tau, **settings)
        self.compare("step", {"priorities": priorities}, {"priorities": found})
        for array in self.config.state:
            self.store(array)
        self.steps += 1
        self.steps_checked += 1
        return priorities
