"""Explorations counted on the RTL, with every agent busy."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .....hw.soc.a3c.config import A3CSystemConfig
from ....algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from ....algorithms.a3c.a3c_shape import A3CShape
from ....algorithms.a3c.reference_service import ReferenceAgentsService
from ....algorithms.a3c.service import AgentAnswer, AgentRequest
from ....core.lockstep import require_equal
from ....measurement.bench import drawn_from
from ..device_service import DeviceAgentsService

__all__ = ["CountedExplorations", "count_explorations", "shape_of"]

# Updates until all agents are at different places of their rollouts, and those that are counted, for each agent.
BEFORE, COUNTED = 2, 5


@dataclass(frozen=True)
class CountedExplorations:
    """Counts between two updates.

    Parameters
    ----------
    cycles, explorations : int
    compared : int
        Numbers of answers, and parameters in the end, all of them equal to the reference's.
    """

    cycles: int
    explorations: int
    compared: int

    @property
    def cycles_each(self) -> float:
        """Cycles of an exploration, many agents beside each other."""
        return self.cycles / self.explorations


def shape_of(hardware: A3CSystemConfig) -> A3CShape:
    """The network that a device is for."""
    return A3CShape(observation_size=hardware.sizes[0], actions=hardware.actions, hidden_sizes=hardware.sizes[1:])


@functools.cache
def count_explorations(hardware: A3CSystemConfig, agents: int) -> CountedExplorations:
    """Cycles of explorations of random environments that answer at once: each agent asks again as soon as it has been
    answered.

    Every rollout has all its steps, and a state after it.

    Parameters
    ----------
    hardware : A3CSystemConfig
    agents : int
        Agents that are served.

    Raises
    ------
    LockstepError
        A number differs from the reference's.
    """
    shape = shape_of(hardware)
    config = A3CHyperParameters(agents=hardware.agents, hidden_sizes=shape.hidden_sizes, rollout_steps=hardware.steps)
    random = np.random.default_rng(drawn_from(0))
    parameters = shape.initial_parameters(random)
    reference = ReferenceAgentsService(shape, config, parameters, hardware.width)
    device = DeviceAgentsService(shape, config, parameters, hardware)
    try:
        begin, end = _play(reference, device, random, agents)
        state = reference.save(), device.save()
        require_equal("State", *state)
    finally:
        device.close()
    compared = end[2] + sum(array.size for array in state[0].values())
    return CountedExplorations(end[0] - begin[0], end[1] - begin[1], compared)


def _play(
    reference: ReferenceAgentsService, device: DeviceAgentsService, random: np.random.Generator, agents: int
) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Cycles, updates and numbers compared, when counting begins and when it ends."""
    connection = device.connection
    rollouts = [_rollouts(agent, device.hardware, random) for agent in range(agents)]
    asked: dict[int, AgentRequest] = {}
    compared = updates = requests = 0
    marks = []
    connection.begin()
    for rollout in rollouts:
        _ask(device, asked, next(rollout))
    while updates < (BEFORE + COUNTED) * agents:
        answer = device.answer(connection.receive())
        (expected,) = reference.serve([asked.pop(answer.agent)])
        compared += _compare(expected, answer)
        requests += 1
        updates += answer.trained
        if answer.trained and updates in (BEFORE * agents, (BEFORE + COUNTED) * agents):
            marks.append((connection.device.read_register("cycles"), updates, compared))
        _ask(device, asked, next(rollouts[answer.agent]))
    while asked:
        answer = device.answer(connection.receive())
        reference.serve([asked.pop(answer.agent)])
    connection.end(requests)
    return marks[0], marks[1]


def _ask(device: DeviceAgentsService, asked: dict[int, AgentRequest], request: AgentRequest) -> None:
    device.connection.send(device.packet(request))
    asked[request.agent] = request


def _rollouts(agent: int, hardware: A3CSystemConfig, random: np.random.Generator) -> Iterator[AgentRequest]:
    """Requests of an agent, rollout after rollout."""

    def observation() -> np.ndarray:
        return random.random(hardware.sizes[0]).astype(np.float32)

    while True:
        yield AgentRequest(agent=agent, observation=observation())
        for step in range(hardware.steps):
            yield AgentRequest(
                agent=agent,
                action=int(random.integers(hardware.actions)),
                reward=float(np.float32(random.normal())),
                observation=observation(),
                train=step == hardware.steps - 1,
            )


def _compare(expected: AgentAnswer, answer: AgentAnswer) -> int:
    """How many numbers were compared."""
    require_equal("Answer", {"trained": np.asarray(expected.trained)}, {"trained": np.asarray(answer.trained)})
    one, other = _policy(expected), _policy(answer)
    require_equal("Answer", one, other)
    return 1 + sum(array.size for array in one.values())


def _policy(answer: AgentAnswer) -> dict[str, np.ndarray]:
    """Numbers of an answer."""
    if answer.probabilities is None or answer.value is None:
        return {}
    return {"probabilities": answer.probabilities, "value": np.float32(answer.value).reshape(1)}
