"""Many agents, the central one, and updates in the order in which they arrive."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....hw.cores.a3c.config import A3CConfig
from ..arrays import ValueArray
from ..float.conversion import from_numbers
from ..float.host import from_bits, to_bits
from ..optimizer.rms_prop import rms_prop
from .loss_gradient import LossGradient, loss_gradient
from .network import Inference, LayerParameters, backward, gradients, infer
from .rates import A3CRates

__all__ = ["A3CRates", "AgentsReference", "Rollout"]


@dataclass
class Rollout:
    """Experience of an agent since it was last trained."""

    inferences: list[Inference] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    rewards: list[ValueArray] = field(default_factory=list)


class AgentsReference:
    """Local agents and the central one.

    Each agent infers with its own copy of the parameters; its update changes the central parameters, and its copy then
    is what they have become. So all that two runs have to share, to be equal bit for bit, is the order of updates.

    Parameters
    ----------
    config : A3CConfig
    parameters : sequence of LayerParameters
        Parameters of the central agent; the others begin with them.

    Attributes
    ----------
    parameters : list of LayerParameters
        The central ones; values of the format.
    squares : list of LayerParameters
        RMSProp's mean squares, as bit patterns.
    local : list of list of LayerParameters
        Each agent's.
    rollouts : list of Rollout
        Each agent's.
    """

    def __init__(self, config: A3CConfig, parameters: Sequence[LayerParameters]):
        self.config = config
        self.parameters = list(parameters)
        self.squares = [
            LayerParameters(*(np.zeros(array.shape, np.int64) for array in layer)) for layer in self.parameters
        ]
        self.local = [list(self.parameters) for _ in range(config.agents)]
        self.rollouts = [Rollout() for _ in range(config.agents)]

    def observe(self, agent: int, observation: ValueArray) -> Inference:
        """Policy and value of what an agent observes.

        Raises
        ------
        ValueError
            Its rollout has ``config.steps`` steps already, and an observation after them.
        """
        rollout = self.rollouts[agent]
        if len(rollout.inferences) == self.config.slots:
            raise ValueError(f"Agent {agent} must be trained: it has {self.config.slots} observations already")
        rollout.inferences.append(infer(self.config, self.local[agent], observation))
        return rollout.inferences[-1]

    def act(self, agent: int, action: int, reward: ArrayLike) -> None:
        """Store an agent's action at its last observation, and its reward."""
        rollout = self.rollouts[agent]
        rollout.actions.append(action)
        rollout.rewards.append(np.asarray(reward))

    def forget(self, agent: int) -> None:
        """Drop what an agent has seen since it was last trained."""
        self.rollouts[agent] = Rollout()

    def train(self, agent: int, rates: A3CRates) -> LossGradient:
        """Update the central parameters with an agent's rollout, and make its copy theirs.

        Where there is an observation after the last action its value counts as what follows.
        """
        config, rollout = self.config, self.rollouts[agent]
        number_format = config.arithmetic.format
        steps = len(rollout.actions)
        taken, behind = rollout.inferences[:steps], rollout.inferences[steps:]
        values = np.array([inference.value for inference in taken])
        found = loss_gradient(
            number_format,
            np.array([inference.probabilities for inference in taken]),
            values,
            np.array(rollout.actions),
            np.array(rollout.rewards),
            behind[0].value if behind else values.dtype.type(0),
            discount=self._value(rates.discount),
            entropy=self._value(rates.entropy),
            value_slope=self._value(rates.value_slope),
        )
        inputs = [np.array(layer) for layer in zip(*(inference.inputs for inference in taken), strict=True)]
        errors = backward(config, self.local[agent], inputs, found.errors)
        self._update(gradients(config, inputs, errors), rates)
        self.local[agent] = list(self.parameters)
        self.forget(agent)
        return found

    def _update(self, found: Sequence[LayerParameters], rates: A3CRates) -> None:
        """RMSProp's step of the central parameters, all at once."""
        number_format = self.config.arithmetic.format
        names = "decay", "one_minus_decay", "learning_rate", "epsilon"
        weights, squares = rms_prop(
            number_format,
            to_bits(number_format, _joined(self.parameters)),
            _joined(self.squares),
            to_bits(number_format, _joined(found)),
            **{name: from_numbers(number_format, getattr(rates, name)) for name in names},
        )
        self.parameters = _parted(from_bits(number_format, weights), found)
        self.squares = _parted(squares, found)

    def _value(self, number: float) -> ValueArray:
        """The nearest number of the format."""
        number_format = self.config.arithmetic.format
        return from_bits(number_format, from_numbers(number_format, number)).reshape(())


def _joined(layers: Sequence[LayerParameters]) -> NDArray[Any]:
    """All numbers of layers, one after the other."""
    return np.concatenate([array.reshape(-1) for layer in layers for array in layer])


def _parted(numbers: NDArray[Any], like: Sequence[LayerParameters]) -> list[LayerParameters]:
    """Numbers as layers of the shapes of others."""
    sizes = np.cumsum([array.size for layer in like for array in layer])
    parts = iter(np.split(numbers, sizes[:-1]))
    return [LayerParameters(*(next(parts).reshape(array.shape) for array in layer)) for layer in like]
