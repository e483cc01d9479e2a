"""LearningGroup in lockstep: the reference trains, the RTL repeats every k-th iteration, everything is compared."""

from typing import Any

import numpy as np

from ...core.lockstep import Comparison

__all__ = ["LearningGroupLockstep"]

STEP_RESULTS = ("movement", "gate", "value")


class LearningGroupLockstep(Comparison):
    """The jobs and the state of the reference, checked against the RTL in every ``every``-th iteration.

    A checked iteration begins with the reference's whole state in the RTL. Choices and values of every step are
    compared, and after the update weights, biases, grouping matrices, their mean squares and the generators.

    Parameters
    ----------
    reference
        `LearningGroupReference`.
    device
        `LearningGroupDevice` of the same network, episodes and rates.
    every
        Iterations from one check to the next.

    Raises
    ------
    LockstepError
        At the first difference.
    """

    def __init__(self, reference: Any, device: Any, every: int):
        super().__init__(reference, device, every, "Iteration")
        self._step = 0

    @property
    def reports(self) -> list[Any]:
        """Reports of the RTL, one for each program of the last iteration; empty if that was not checked."""
        return self.device.reports if (self.steps - 1) % self.every == 0 else []

    @property
    def lost_updates(self) -> float:
        """The reference's."""
        return self.reference.lost_updates

    def save(self) -> dict[str, np.ndarray]:
        """The reference's state."""
        return self.reference.save()

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        self.reference.load(state)

    def start(self) -> None:
        """Begin an iteration, also on the RTL if it is a checked one."""
        if self.due():
            self.device.load(self.reference.save())
            self.device.start()
        self.reference.start()
        self._step = 0

    def rewind(self) -> None:
        """Takes back the iteration under way; a checked one is checked anew, from the reference's state."""
        self.reference.rewind()

    def step(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The reference's movements, gates and values of a time step."""
        results = self.reference.step(observations)
        if self.due():
            got = self.device.step(observations)
            self.compare(
                f"step {self._step}",
                dict(zip(STEP_RESULTS, results, strict=True)),
                dict(zip(STEP_RESULTS, got, strict=True)),
            )
        self._step += 1
        return results

    def train(self, returns: np.ndarray, scales: np.ndarray) -> None:
        """Backward and update."""
        self.reference.train(returns, scales)
        if self.due() and not self.reference.nonfinite_layers():
            self.device.train(returns, scales)
            self.compare("update", self.reference.save(), self.device.save())
            self.steps_checked += 1
        self.steps += 1

    def workloads(self) -> list[int]:
        """Unmasked weights of each core, the reference's."""
        return self.reference.workloads()

    def nonfinite_layers(self) -> list[str]:
        """The reference's layers that have met an infinity or a NaN."""
        return self.reference.nonfinite_layers()
