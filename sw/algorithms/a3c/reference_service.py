"""Agents served bit by bit as hardware computes, in binary32."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....hw.cores.a3c.config import A3CConfig
from ....hw.cores.float.config import BINARY32
from ...reference.a3c.agents import AgentsReference
from ...reference.a3c.loss_gradient import LossGradient
from ...reference.a3c.network import LayerParameters
from ...reference.a3c.rates import A3CRates
from ...reference.float.host import from_bits, to_bits
from .a3c_hyper_parameters import A3CHyperParameters
from .a3c_shape import A3CShape, Arrays
from .service import AgentAnswer, AgentRequest, rates_of, split_state

__all__ = ["ReferenceAgentsService"]


class ReferenceAgentsService:
    """An :class:`.AgentsService` on :class:`.AgentsReference`. It serves requests in the order in which they stand.

    Parameters
    ----------
    shape
        Sizes of the network.
    config
        Hyper-parameters.
    parameters
        First ones, by name.
    width
        Numbers of a word of the hardware, on which the order of sums depends.
    """

    def __init__(self, shape: A3CShape, config: A3CHyperParameters, parameters: Arrays, width: int = 16):
        self.shape = shape
        shape.require_shapes(parameters)
        hardware = A3CConfig(
            sizes=shape.sizes[:-1],
            actions=shape.actions,
            agents=config.agents,
            steps=config.rollout_steps,
            width=width,
            gradient_engines=1,
        )
        self.reference = AgentsReference(hardware, self._layers(parameters))
        self._rates = rates_of(config)

    def serve(self, requests: Sequence[AgentRequest]) -> list[AgentAnswer]:
        return [self._serve(request) for request in requests]

    def _serve(self, request: AgentRequest) -> AgentAnswer:
        agent, found = request.agent, None
        if request.forget:
            self.reference.forget(agent)
        if request.action is not None:
            self.reference.act(agent, request.action, np.float32(request.reward))
        if request.observation is not None:
            found = self.reference.observe(agent, request.observation)
        if request.train:
            return AgentAnswer(agent=agent, trained=True, report=_report(self.reference.train(agent, self._rates)))
        if found is None:
            raise ValueError(f"A request of agent {agent} must have an observation, or train it")
        return AgentAnswer(agent=agent, probabilities=found.probabilities, value=float(found.value))

    def set_rates(self, rates: A3CRates) -> None:
        self._rates = rates

    def parameters(self) -> Arrays:
        return self._named(self.reference.parameters)

    def set_parameters(self, parameters: Arrays) -> None:
        self.shape.require_shapes(parameters)
        reference = self.reference
        reference.parameters = self._layers(parameters)
        reference.local = [list(reference.parameters) for _ in reference.local]

    def counters(self) -> dict[str, Any]:
        return {}

    def save(self) -> Arrays:
        reference = self.reference
        squares = [LayerParameters(*(from_bits(BINARY32, bits) for bits in layer)) for layer in reference.squares]
        parts = {"central": reference.parameters, "square": squares}
        parts |= {f"agent{agent}": layers for agent, layers in enumerate(reference.local)}
        return {
            f"{part}.{name}": values for part, layers in parts.items() for name, values in self._named(layers).items()
        }

    def load(self, arrays: Arrays) -> None:
        reference = self.reference
        parts = split_state(arrays, reference.config.agents, list(self.shape.parameter_shapes))
        reference.parameters = self._layers(parts["central"])
        reference.squares = [
            LayerParameters(*(to_bits(BINARY32, values) for values in layer)) for layer in self._layers(parts["square"])
        ]
        for agent in range(reference.config.agents):
            reference.local[agent] = self._layers(parts[f"agent{agent}"])
            reference.forget(agent)

    def close(self) -> None:
        """Nothing to let go of."""

    def _layers(self, parameters: Arrays) -> list[LayerParameters]:
        copied = {name: np.array(values, np.float32) for name, values in parameters.items()}
        numbers = range(1, self.shape.layers + 1)
        return [LayerParameters(copied[f"layer{number}.weight"], copied[f"layer{number}.bias"]) for number in numbers]

    @staticmethod
    def _named(layers: Sequence[LayerParameters]) -> Arrays:
        found: Arrays = {}
        for number, layer in enumerate(layers, 1):
            found[f"layer{number}.weight"], found[f"layer{number}.bias"] = layer.weights.copy(), layer.biases.copy()
        return found


def _report(found: LossGradient) -> dict[str, float]:
    """Means over the steps of a rollout."""
    advantages = found.advantages.astype(np.float64)
    return {"advantage": float(advantages.mean()), "value_loss": float(np.square(advantages).mean())}
