"""MAAC's updates on a device beside the reference: every number compared."""

from typing import Any

import numpy as np

from ...algorithms.maac.update import JointBatch, PolicyForward
from ...core.lockstep import Comparison

__all__ = ["LockstepMAACUpdate"]

Arrays = dict[str, np.ndarray]
State = tuple[Arrays, dict[str, Any]]


class LockstepMAACUpdate(Comparison):
    """A :class:`.MAACUpdate` that has both take every update, and compares all that it gives, and what it leaves.

    Parameters
    ----------
    reference
        Update whose numbers count.
    device
        Update that has to come to the same ones.

    Raises
    ------
    LockstepError
        At the first number that differs.
    """

    def __init__(self, reference: Any, device: Any):
        super().__init__(reference, device, 1, "Update")

    def update(self, batch: JointBatch) -> tuple[PolicyForward | None, dict[str, float]]:
        forward, report = self.reference.update(batch)
        given, about = self.device.update(batch)
        if forward is not None:
            self.compare("forward pass", vars(forward), vars(given))
        self.compare("report", _arrays(report), _arrays(about))
        if forward is None:
            self._compare_state("policies", self.reference.save_policies(), self.device.save_policies())
            self._end_step()
        return forward, report

    def take_policies(self, parameters: Arrays) -> None:
        self.reference.take_policies(parameters)
        self.device.take_policies(parameters)
        self._end_step()

    def _end_step(self) -> None:
        """Compare the states that an update has left."""
        self._compare_state("state", self.reference.save(), self.device.save())
        self.steps += 1
        self.steps_checked += 1

    def _compare_state(self, what: str, expected: State, given: State) -> None:
        (one, about), (other, told) = expected, given
        self.compare(what, one | _arrays(about), other | _arrays(told))

    def save_policies(self) -> State | None:
        return self.reference.save_policies()

    def load_policies(self, arrays: Arrays, rest: dict[str, Any]) -> None:
        self.reference.load_policies(arrays, rest)
        self.device.load_policies(arrays, rest)

    def counters(self) -> dict[str, Any]:
        """The device's counters, and how much was compared."""
        return {**self.device.counters(), **self.counts()}

    def save(self) -> tuple[Arrays, dict[str, Any]]:
        return self.reference.save()

    def load(self, arrays: Arrays, rest: dict[str, Any]) -> None:
        self.reference.load(arrays, rest)
        self.device.load(arrays, rest)


def _arrays(numbers: dict[str, Any]) -> Arrays:
    return {name: np.asarray(number) for name, number in numbers.items()}
