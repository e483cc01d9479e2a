"""A3C's agents served by a device and by the reference, in the order of the device: every number compared."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...algorithms.a3c.a3c_shape import Arrays
from ...algorithms.a3c.service import AgentAnswer, AgentRequest
from ...core.lockstep import Comparison
from ...reference.a3c.rates import A3CRates

__all__ = ["LockstepAgentsService"]

# Answers between two comparisons of all parameters.
EVERY = 100


class LockstepAgentsService(Comparison):
    """An :class:`.AgentsService` that has both serve every request, and compares all answers.

    All parameters and mean squares are compared every so many answers, and when they are saved.

    Parameters
    ----------
    reference
        Service whose numbers count.
    device
        Service that has to come to the same ones.

    Raises
    ------
    LockstepError
        At the first number that differs.
    """

    def __init__(self, reference: Any, device: Any):
        super().__init__(reference, device, 1, "Answer")

    def serve(self, requests: Sequence[AgentRequest]) -> list[AgentAnswer]:
        given = self.device.serve(requests)
        by_agent = {request.agent: request for request in requests}
        order = [by_agent[answer.agent] for answer in given]
        expected = self.reference.serve(order)
        for one, other in zip(expected, given, strict=True):
            self.compare("answer", _numbers(one), _numbers(other))
            self.steps += 1
            self.steps_checked += 1
            if self.steps % EVERY == 0:
                self._compare_state()
        return expected

    def _compare_state(self) -> None:
        self.compare("state", self.reference.save(), self.device.save())

    def set_rates(self, rates: A3CRates) -> None:
        self.reference.set_rates(rates)
        self.device.set_rates(rates)

    def parameters(self) -> Arrays:
        found: Arrays = self.reference.parameters()
        return found

    def set_parameters(self, parameters: Arrays) -> None:
        self.reference.set_parameters(parameters)
        self.device.set_parameters(parameters)

    def counters(self) -> dict[str, Any]:
        """The device's counters, and how much was compared."""
        return {**self.device.counters(), **self.counts()}

    def save(self) -> Arrays:
        self._compare_state()
        found: Arrays = self.reference.save()
        return found

    def load(self, arrays: Arrays) -> None:
        self.reference.load(arrays)
        self.device.load(arrays)


def _numbers(answer: AgentAnswer) -> Arrays:
    """An answer as arrays."""
    found = {"agent": np.asarray(answer.agent), "trained": np.asarray(answer.trained)}
    if answer.probabilities is not None and answer.value is not None:
        found |= {"probabilities": answer.probabilities, "value": np.float32(answer.value).reshape(1)}
    return found
