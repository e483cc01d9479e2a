"""FIXAR in lockstep: the reference trains, the RTL repeats every k-th step from its state, all is compared."""

from typing import Any

import numpy as np

from ...core.lockstep import Comparison
from ...reference.learner_batch import LearnerBatch

__all__ = ["FixarLockstep"]

# Counters that only the RTL can tell.
MEASURED = ("train_steps", "train_cycles", "cycles_from", "utilization")


class FixarLockstep(Comparison):
    """A learner that is the reference, and checks the RTL against it every ``every``-th training step.

    A checked step begins with the action before it: the reference's whole state is loaded into the RTL, both act,
    both train, and actions, temporal-difference errors, weights, targets, gradients, moments, ranges, bias correction,
    noise state and counters are compared bit for bit.

    Parameters
    ----------
    reference, device
        Learners with the same interface and the same names of state.
    every
        Training steps from one check to the next.

    Raises
    ------
    LockstepError
        At the first difference.
    """

    def __init__(self, reference: Any, device: Any, every: int):
        super().__init__(reference, device, every, "Training step")
        self._together = False

    def _meet(self) -> None:
        if not self._together:
            self.device.load(self.reference.save())
            self._together = True

    def act(self, observations: np.ndarray, noise: bool) -> np.ndarray:
        """The reference's actions; the RTL's too when the next training step is a checked one."""
        if not (noise and self.due()):
            self._together = False
            return self.reference.act(observations, noise)
        self._meet()
        actions = self.reference.act(observations, noise)
        self.compare("act", {"action": actions}, {"action": self.device.act(observations, noise)})
        return actions

    def train(self, batch: LearnerBatch) -> np.ndarray:
        """The reference's training step, and on a checked one the RTL's."""
        if self.due():
            self._meet()
        errors = self.reference.train(batch)
        if self.due():
            self.compare("train", {"error": errors}, {"error": self.device.train(batch)})
            self.compare("train", self.reference.save(), self.device.save())
            self.steps_checked += 1
        self._together = False
        self.steps += 1
        return errors

    def freeze(self, bits: int) -> None:
        """Freezes the reference's ranges; the RTL's are frozen from the same ranges and compared."""
        self._meet()
        self.reference.freeze(bits)
        self.device.freeze(bits)
        self.compare("freeze", self.reference.save(), self.device.save())
        self._together = False

    def save(self) -> dict[str, np.ndarray]:
        """The reference's state."""
        return self.reference.save()

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        self.reference.load(state)
        self._together = False

    def layers(self, network: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """The reference's weights and biases."""
        return self.reference.layers(network)

    def set_layers(self, actor: list, critic: list) -> None:
        """Begins anew with these networks."""
        self.reference.set_layers(actor, critic)
        self._together = False

    def counters(self) -> dict[str, Any]:
        """Saturations of the reference, cycles of the RTL, and the comparisons made."""
        measured = self.device.counters()
        return {
            **self.reference.counters(),
            **{name: measured[name] for name in MEASURED if name in measured},
            **self.counts(),
        }

    def tally(self) -> dict[str, Any]:
        """Steps and comparisons so far, and what both learners counted."""
        return {**self.comparisons(), "reference": self.reference.tally(), "device": self.device.tally()}

    def restore_tally(self, tally: dict[str, Any]) -> None:
        """Takes back what `tally` gave."""
        self.restore_comparisons(tally)
        self.reference.restore_tally(tally["reference"])
        self.device.restore_tally(tally["device"])
