"""A3C's agents served by a device."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....hw.cores.a3c.records import ANSWER, REQUEST, REWARD_PLACE
from ....hw.cores.float.config import BINARY32
from ....hw.soc.a3c.config import A3CSystemConfig
from ....hw.soc.a3c.instructions import Memory
from ...algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from ...algorithms.a3c.a3c_shape import A3CShape, Arrays
from ...algorithms.a3c.service import AgentAnswer, AgentRequest, rates_of, split_state
from ...reference.a3c.rates import A3CRates
from .agents_connection import AgentsConnection
from .parameter_words import from_words, to_words, words_of

__all__ = ["DeviceAgentsService", "hardware_for", "require_suitable"]


def hardware_for(shape: A3CShape, config: A3CHyperParameters) -> A3CSystemConfig:
    """A small device for agents: an engine of each kind, four numbers a word."""
    return A3CSystemConfig(
        sizes=shape.sizes[:-1],
        actions=shape.actions,
        agents=config.agents,
        steps=config.rollout_steps,
        width=4,
        forward_engines=1,
        backward_engines=1,
        gradient_engines=1,
        interval=4,
    )


def require_suitable(hardware: A3CSystemConfig, shape: A3CShape, config: A3CHyperParameters) -> None:
    """Refuses a device of another network, one with fewer agents or shorter rollouts, and other numbers.

    Raises
    ------
    ValueError
        The text names what is asked for and what the device has.
    """
    wanted = hardware_for(shape, config)
    for name in ("sizes", "actions"):
        has, asked = getattr(hardware, name), getattr(wanted, name)
        if has != asked:
            raise ValueError(
                f"{name.capitalize()} of device {hardware.name} must be those of the network, {asked}, not {has}"
            )
    for name, words in (("agents", "Agents"), ("steps", "Steps of a rollout")):
        has, asked = getattr(hardware, name), getattr(wanted, name)
        if has < asked:
            raise ValueError(f"{words} of device {hardware.name} must be at least {asked}, not {has}")
    if hardware.arithmetic.format != BINARY32:
        raise ValueError(f"Numbers of device {hardware.name} must be of binary32, not of {hardware.arithmetic.format}")


class DeviceAgentsService:
    """An :class:`.AgentsService` on the RTL in the simulator, or on a board.

    Requests that are served together are worked on side by side; the order of their answers is that in which the device
    completes them.

    Parameters
    ----------
    shape, config, parameters
        As of :class:`.ReferenceAgentsService`.
    hardware
        The device.
    where, **options
        As of :class:`.AgentsConnection`.

    Raises
    ------
    ValueError
        The device is for another network.
    DeviceError
        There is no such device, or one that was built for something else.
    """

    def __init__(
        self,
        shape: A3CShape,
        config: A3CHyperParameters,
        parameters: Arrays,
        hardware: A3CSystemConfig,
        where: str = "sim",
        **options: Any,
    ):
        require_suitable(hardware, shape, config)
        shape.require_shapes(parameters)
        self.shape, self.config, self.hardware = shape, config, hardware
        self._forgotten: set[int] = set()
        self.connection = AgentsConnection(hardware, where, **options)
        try:
            self.set_rates(rates_of(config))
            self.set_parameters(parameters)
            self.connection.load(Memory.SQUARES, np.zeros((hardware.words, hardware.width), np.uint32))
        except BaseException:
            self.connection.close()
            raise

    def serve(self, requests: Sequence[AgentRequest]) -> list[AgentAnswer]:
        answers = self.connection.serve([self.packet(request) for request in requests])
        return [self.answer(rows) for rows in answers]

    def packet(self, request: AgentRequest) -> np.ndarray:
        """Rows of a request."""
        acts, observes = request.action is not None, request.observation is not None
        fields = {
            "agent": request.agent,
            "action": request.action or 0,
            "restarts": int(request.forget or request.agent in self._forgotten),
            "acts": int(acts),
            "observes": int(observes),
            "trains": int(request.train),
            "ends": 0,
        }
        self._forgotten.discard(request.agent)
        row = np.zeros((1, self.hardware.width), np.uint32)
        row[0, 0] = REQUEST.pack(fields)
        row[0, REWARD_PLACE // 32] = np.float32(request.reward if acts else 0).view(np.uint32)
        if request.observation is None:
            return row
        numbers = np.ascontiguousarray(request.observation, np.float32)
        return np.concatenate([row, words_of(numbers, self.hardware.width).view(np.uint32)])

    def answer(self, rows: np.ndarray) -> AgentAnswer:
        """Decode the rows of an answer."""
        header = ANSWER.unpack(int(rows[0, 0]))
        if header["trained"]:
            return AgentAnswer(agent=header["agent"], trained=True)
        numbers = rows.ravel()[REWARD_PLACE // 32 :].view(np.float32)
        actions = self.shape.actions
        return AgentAnswer(agent=header["agent"], probabilities=numbers[:actions].copy(), value=float(numbers[actions]))

    def set_rates(self, rates: A3CRates) -> None:
        self.connection.set(rates)

    def parameters(self) -> Arrays:
        return self._stored(Memory.PARAMETERS)

    def set_parameters(self, parameters: Arrays) -> None:
        self.shape.require_shapes(parameters)
        self._load(Memory.PARAMETERS, parameters)

    def counters(self) -> dict[str, Any]:
        """Clock cycles in which agents were served."""
        return {"cycles": self.connection.cycles}

    def save(self) -> Arrays:
        parts = {"central": self._stored(Memory.PARAMETERS), "square": self._stored(Memory.SQUARES)}
        for agent in range(self.config.agents):
            parts[f"agent{agent}"] = self._stored(Memory.COPIES, self.connection.copy_base(agent))
        return {f"{part}.{name}": values for part, found in parts.items() for name, values in found.items()}

    def load(self, arrays: Arrays) -> None:
        agents = range(self.config.agents)
        parts = split_state(arrays, len(agents), list(self.shape.parameter_shapes))
        self._load(Memory.PARAMETERS, parts["central"])
        self._load(Memory.SQUARES, parts["square"])
        for agent in agents:
            self._load(Memory.COPIES, parts[f"agent{agent}"], self.connection.copy_base(agent))
        # Their next requests begin rollouts.
        self._forgotten = set(agents)

    def close(self) -> None:
        self.connection.close()

    def _load(self, memory: Memory, parameters: Arrays, base: int = 0) -> None:
        floats = {name: np.asarray(values, np.float32) for name, values in parameters.items()}
        self.connection.load(memory, to_words(self.hardware, floats).view(np.uint32), base)

    def _stored(self, memory: Memory, base: int = 0) -> Arrays:
        words = np.ascontiguousarray(self.connection.store(memory, base))
        return from_words(self.hardware, words.view(np.float32))
