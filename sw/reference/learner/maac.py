"""Updates of MAAC: critics, and of the policies' the forward part or all of it, as hardware computes them.

Samples follow each other as in :mod:`..graph.graph`: agent after agent of an experience.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.float.config import FloatFormat
from ....hw.cores.graph.config import GraphConfig
from ....hw.cores.learner.maac_config import SHARED_LAYERS, MAACNetworksConfig
from ..arrays import IntegerArray, ValueArray
from ..attention.softmax import shares
from ..float.conversion import from_numbers
from ..float.host import add, from_bits, multiply, to_bits
from ..graph.graph import backpropagate, propagate
from ..optimizer.float_adam import AdamRates, float_adam
from ..optimizer.soft_update import approach
from .attentive_critic_loss import attentive_critic_loss, chosen
from .counterfactual_loss import counterfactual_loss

__all__ = ["MAACForward", "MAACGradients", "MAACReference", "MAACSamples", "PolicyGradients", "draw"]


@dataclass(frozen=True)
class MAACSamples:
    """A batch of experiences; values of the format.

    Parameters
    ----------
    observations, next_observations : array (samples, observations)
    actions : array of int (samples,)
    rewards, discounts : array (samples,)
        The discount is 0 where nothing follows.
    uniforms, next_uniforms : array (samples,)
        Numbers with which actions of the policies and of the target policies are drawn.
    """

    observations: ValueArray
    actions: IntegerArray
    rewards: ValueArray
    discounts: ValueArray
    next_observations: ValueArray
    uniforms: ValueArray
    next_uniforms: ValueArray


class MAACForward(NamedTuple):
    """Numbers for the policies' backward pass: hidden layers, logits, actions drawn, and the values of all actions."""

    first: ValueArray
    second: ValueArray
    logits: ValueArray
    choices: IntegerArray
    values: ValueArray


class MAACGradients(NamedTuple):
    """Gradients of the critics' layers, and of each sample ``Q(o, a)`` and ``Q(o, a) - y``."""

    critics: list[ValueArray]
    values: ValueArray
    errors: ValueArray


class PolicyGradients(NamedTuple):
    """Gradients of the policies' layers, and of each sample log p(a) and the advantage of its action a."""

    policies: list[ValueArray]
    logarithms: ValueArray
    advantages: ValueArray


class MAACReference:
    """Policies, critics, their targets, and Adam's moments of both.

    The policies are updated by a host, :meth:`take_policies`, or here, :meth:`step_policies`.

    Parameters
    ----------
    config : MAACNetworksConfig
    policies, critics : sequence of array
        Values of each layer's parameters, as :mod:`..layer.stages` has them; the targets also begin with them.
    present : array of bool (agents, actions), optional
        Which actions an agent has; without, all.

    Attributes
    ----------
    policies, target_policies, critics, target_critics : list of array
    first, second : list of array
        Adam's moments of the critics, as bit patterns.
    policy_first, policy_second : list of array
        Moments of the policies; a host that updates them has its own.
    """

    def __init__(
        self,
        config: MAACNetworksConfig,
        policies: Sequence[ValueArray],
        critics: Sequence[ValueArray],
        present: NDArray[np.bool_] | None = None,
    ):
        self.config = config
        self.format = config.arithmetic.format
        self.policy, self.critic = config.policy, config.critic
        self.policies, self.critics = list(policies), list(critics)
        self.target_policies, self.target_critics = list(policies), list(critics)
        self.first, self.second = _moments(critics), _moments(critics)
        self.policy_first, self.policy_second = _moments(policies), _moments(policies)
        self.present = np.ones((config.agents, config.actions), bool) if present is None else present

    def step(self, gradients: Sequence[ValueArray], rates: AdamRates[float], tau: float) -> None:
        """Adam's step of the critics, and their targets follow.

        Parameters
        ----------
        gradients : sequence of array
            Gradients of :meth:`gradients`.
        rates : AdamRates
            Real numbers of this step.
        tau : float
            Part of the way that the target critics go.
        """
        self._adam(self.critics, self.first, self.second, gradients, rates)
        self.target_critics = approach(self.format, self.target_critics, self.critics, self._value(tau))

    def gradients(self, samples: MAACSamples, entropy_share: float) -> MAACGradients:
        """Gradients of the critics' loss, the sum over agents of the mean of ``(Q(o, a) - y)**2``::

            y = r + discount * (Q'(o', a') - log pi'(a') * entropy_share)

        A derivative is ``2 / batch`` times the error. A unit of entropy is worth ``entropy_share``.
        """
        outputs = propagate(self.critic, self.critics, [samples.observations, self._one_hot(samples.actions)])
        next_values, choices, probabilities = self._target(samples)
        verdict = attentive_critic_loss(
            self.format,
            outputs["output"],
            next_values,
            samples.actions,
            samples.rewards,
            samples.discounts,
            choices,
            probabilities,
            entropy_share=self._value(entropy_share),
            slope=self._value(2 * self.config.agents / len(samples.actions)),
        )
        gradients = backpropagate(self.critic, self.critics, outputs, verdict.derivatives)
        share = self._value(1 / self.config.agents)
        scaled = [
            multiply(self.format, matrix, share) if node.name in SHARED_LAYERS else matrix
            for node, matrix in zip(self.critic.linear, gradients, strict=True)
        ]
        return MAACGradients(scaled, verdict.values, verdict.errors)

    def take_policies(self, policies: Sequence[ValueArray], tau: float) -> None:
        """Policies after their update; the target policies follow them."""
        self.policies = list(policies)
        self.target_policies = approach(self.format, self.target_policies, self.policies, self._value(tau))

    def policy_gradients(self, samples: MAACSamples, entropy_share: float) -> PolicyGradients:
        """Gradients of the policies' losses, with the critics as they are: see :func:`.counterfactual_loss`.

        Each agent's is the mean over the batch.
        """
        outputs, probabilities = self._act(self.policy, self.policies, samples.observations)
        choices = draw(self.format, probabilities, samples.uniforms)
        verdict = counterfactual_loss(
            self.format,
            probabilities,
            self._values(samples, choices),
            choices,
            entropy_share=self._value(entropy_share),
            slope=self._value(self.config.agents / len(samples.actions)),
        )
        gradients = backpropagate(self.policy, self.policies, outputs, verdict.derivatives)
        return PolicyGradients(gradients, verdict.logarithms, verdict.advantages)

    def step_policies(self, gradients: Sequence[ValueArray], rates: AdamRates[float], tau: float) -> None:
        """Adam's step of the policies, and their targets follow.

        Parameters
        ----------
        gradients : sequence of array
            Gradients of :meth:`policy_gradients`, before the critics' step.
        rates, tau
            As of :meth:`step`.
        """
        self._adam(self.policies, self.policy_first, self.policy_second, gradients, rates)
        self.target_policies = approach(self.format, self.target_policies, self.policies, self._value(tau))

    def _adam(
        self,
        matrices: list[ValueArray],
        first: list[IntegerArray],
        second: list[IntegerArray],
        gradients: Sequence[ValueArray],
        rates: AdamRates[float],
    ) -> None:
        """A step of a network and its moments."""
        bits = rates.rounded(self.format)
        for index, (matrix, slope) in enumerate(zip(matrices, gradients, strict=True)):
            new, first[index], second[index] = float_adam(
                self.format,
                to_bits(self.format, matrix),
                first[index],
                second[index],
                to_bits(self.format, slope),
                bits,
            )
            matrices[index] = from_bits(self.format, new)

    def _target(self, samples: MAACSamples) -> tuple[ValueArray, IntegerArray, ValueArray]:
        """Values of what follows, the actions that are drawn for it, and their probabilities."""
        outputs, probabilities = self._act(self.policy, self.target_policies, samples.next_observations)
        choices = draw(self.format, probabilities, samples.next_uniforms)
        inputs = [samples.next_observations, self._one_hot(choices)]
        values = propagate(self.critic, self.target_critics, inputs)["output"]
        return values, choices, chosen(probabilities, choices)

    def forward(self, samples: MAACSamples) -> MAACForward:
        """The policies' forward pass, with the critics as they are."""
        outputs, probabilities = self._act(self.policy, self.policies, samples.observations)
        choices = draw(self.format, probabilities, samples.uniforms)
        values = self._values(samples, choices)
        values = np.where(self._present(len(values)), values, values.dtype.type(0))
        return MAACForward(outputs["first"], outputs["second"], outputs["third"], choices, values)

    def _values(self, samples: MAACSamples, choices: IntegerArray) -> ValueArray:
        """Values of all actions, also those that an agent lacks, while the other agents do what they chose."""
        return propagate(self.critic, self.critics, [samples.observations, self._one_hot(choices)])["output"]

    def _act(
        self, graph: GraphConfig, policies: Sequence[ValueArray], observations: ValueArray
    ) -> tuple[dict[str, ValueArray], ValueArray]:
        """Outputs of all layers, and the probabilities of actions."""
        outputs = propagate(graph, policies, [observations])
        return outputs, shares(self.format, outputs["third"], self._present(len(observations)))

    def _present(self, samples: int) -> NDArray[np.bool_]:
        return np.tile(self.present, (samples // self.config.agents, 1))

    def _one_hot(self, actions: IntegerArray) -> ValueArray:
        return (actions[:, None] == np.arange(self.config.actions)).astype(self.critics[0].dtype)

    def _value(self, number: float) -> ValueArray:
        return from_bits(self.format, from_numbers(self.format, number))


def _moments(matrices: Sequence[ValueArray]) -> list[IntegerArray]:
    return [np.zeros(matrix.shape, np.int64) for matrix in matrices]


def draw(number_format: FloatFormat, probabilities: ValueArray, uniforms: ValueArray) -> IntegerArray:
    """The first of the last axis whose cumulative probability exceeds the uniform number.

    Probabilities are added from the first on. Where rounding leaves the last sum below the number, it is the last one
    that has a probability.
    """
    reached = np.zeros_like(uniforms)
    choices = np.zeros(uniforms.shape, np.int64)
    last = np.zeros_like(choices)
    for action, probability in enumerate(np.moveaxis(probabilities, -1, 0)):
        reached = add(number_format, reached, probability)
        choices += reached <= uniforms
        last = np.where(probability > 0, action, last)
    return np.minimum(choices, last)
