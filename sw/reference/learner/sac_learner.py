"""A learner of soft actor-critic, whole gradient steps, as the hardware is to compute them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.learner.sac_learner_config import SACLearnerConfig
from ..arrays import ValueArray
from ..float.functions.host import exponential
from ..float.host import add, multiply
from ..layer.network import NetworkReference, propagate, rounded
from ..layer.stages import gradient
from ..learner_batch import LearnerBatch
from ..optimizer.float_adam import AdamRates
from ..optimizer.soft_update import approach
from .squashed_gaussian import squashed_gaussian, squashed_gaussian_derivative
from .twin_critic_loss import TwinCriticLoss, lesser_value_errors, twin_critic_loss

__all__ = ["SACBatch", "SACGradients", "SACLearnerReference"]


@dataclass(frozen=True, kw_only=True)
class SACBatch(LearnerBatch):
    """Samples, and what actions are drawn with.

    Parameters
    ----------
    noises, next_noises : array (batch, actions)
        Standard normal numbers, for an action at the observation and at the next one.
    """

    noises: ValueArray
    next_noises: ValueArray

    @property
    def noise_pairs(self) -> tuple[tuple[ValueArray, ValueArray], ...]:
        """Both noises."""
        return ((self.noises, self.next_noises),)


class SACGradients(NamedTuple):
    """The gradients of all networks, arrays like the weights, and the loss of the critics."""

    actor: list[ValueArray]
    critic_1: list[ValueArray]
    critic_2: list[ValueArray]
    temperature: list[ValueArray]
    loss: TwinCriticLoss


class SACLearnerReference:
    """Actor, two critics, their targets, the temperature, and the step.

    All gradients are those of the weights before the step, so that all stages work on a sample at the same time: the
    critics that tell the actor's gradient have not been updated with this batch, nor has the temperature.

    Parameters
    ----------
    config : SACLearnerConfig
    actor, critic_1, critic_2 : sequence of array (inputs + 1, outputs)
        Weights as real numbers for each layer, the bias as the last row; targets begin as copies.
    temperature : sequence of one array (1, 1)
        The logarithm of the temperature.

    Attributes
    ----------
    actor, critic_1, critic_2, temperature : NetworkReference
    critic_1_target, critic_2_target : list of array
        Weights, values of the format.

    Raises
    ------
    ValueError
        Weights of another shape.

    Source
    ------
    T. Haarnoja et al., "Soft actor-critic algorithms and applications", 2019, algorithm 1.
    """

    def __init__(
        self,
        config: SACLearnerConfig,
        actor: Sequence[ArrayLike],
        critic_1: Sequence[ArrayLike],
        critic_2: Sequence[ArrayLike],
        temperature: Sequence[ArrayLike],
    ):
        self.config = config
        self._format = config.actor.arithmetic.format
        self.actor = NetworkReference(config.actor, config.optimizer, actor)
        self.critic_1 = NetworkReference(config.critic, config.optimizer, critic_1)
        self.critic_2 = NetworkReference(config.critic, config.optimizer, critic_2)
        self.temperature = NetworkReference(config.temperature, config.optimizer, temperature)
        self.critic_1_target, self.critic_2_target = self.critic_1.weights, self.critic_2.weights

    def gradients(self, batch: SACBatch, target_entropy: float) -> SACGradients:
        """Gradients of a batch.

        The critics' loss is that of :func:`.twin_critic_loss`. The actor's is the mean of the temperature times the
        logarithm of the density of its action, less the lesser of both critics' values. The derivative of the
        temperature's by its logarithm is the mean of ``-(log_density + target_entropy)``. A mean is a sum of products
        with ``-1 / batch`` (or of what is multiplied by it).

        Parameters
        ----------
        batch : SACBatch
        target_entropy : float
            Entropy that the temperature is learned for.
        """
        number_format, actor = self._format, self.config.actor
        observations, actions, following, rewards, discounts, shares, noises, next_noises = (
            rounded(actor, numbers)
            for numbers in (
                batch.observations,
                batch.actions,
                batch.next_observations,
                batch.rewards,
                batch.discounts,
                batch.shares,
                batch.noises,
                batch.next_noises,
            )
        )
        (logarithm,) = self.temperature.weights[0]
        temperature = exponential(number_format, logarithm)
        slope, entropy = (rounded(actor, [number]) for number in (-1 / len(shares), target_entropy))

        next_drawn = squashed_gaussian(number_format, propagate(actor, self.actor.weights, following)[-1], next_noises)
        critics = self.critic_1, self.critic_2
        next_values = [
            self._values(target, following, next_drawn.actions)[-1]
            for target in (self.critic_1_target, self.critic_2_target)
        ]
        activations = [self._values(critic.weights, observations, actions) for critic in critics]
        loss = twin_critic_loss(
            number_format,
            [each[-1] for each in activations],
            next_values,
            next_drawn.log_densities,
            temperature,
            rewards,
            discounts,
            shares,
            huber=self.config.loss == "huber",
        )
        first, second = (
            critic.backward(each, errors)[0]
            for critic, each, errors in zip(critics, activations, loss.derivatives, strict=True)
        )

        chosen = propagate(actor, self.actor.weights, observations)
        drawn = squashed_gaussian(number_format, chosen[-1], noises)
        judged = [self._values(critic.weights, observations, drawn.actions) for critic in critics]
        errors = lesser_value_errors([each[-1] for each in judged], slope)
        at_inputs = [
            critic.backward(each, error, to_inputs=True)[1]
            for critic, each, error in zip(critics, judged, errors, strict=True)
        ]
        at_actions = add(number_format, *at_inputs)[:, self.config.observations :]
        derivatives = squashed_gaussian_derivative(
            number_format, drawn, at_actions, multiply(number_format, slope, temperature)
        )
        of_actor, _ = self.actor.backward(chosen, derivatives)
        missing = multiply(number_format, slope, add(number_format, drawn.log_densities, entropy))[:, None]
        of_temperature = gradient(self.config.temperature.layers[0], np.ones_like(missing), missing)
        return SACGradients(of_actor, first, second, [of_temperature], loss)

    def step(
        self,
        batch: SACBatch,
        rates: Sequence[AdamRates[float] | float],
        tau: float,
        target_entropy: float,
    ) -> ValueArray:
        """One gradient step of all networks; returns the new priorities, values ``(batch,)``.

        Targets move towards the new weights, ``target + tau * (weight - target)``, each operation rounded.

        Parameters
        ----------
        batch : SACBatch
        rates : sequence of AdamRates or float
            Real numbers for each of ``config.networks``: those of this step for Adam, the learning rate for SGD.
        tau : float
        target_entropy : float
        """
        gradients = self.gradients(batch, target_entropy)
        for name, given in zip(self.config.networks, rates, strict=True):
            getattr(self, name).update(getattr(gradients, name), given)
        share = rounded(self.config.critic, tau)
        self.critic_1_target = approach(self._format, self.critic_1_target, self.critic_1.weights, share)
        self.critic_2_target = approach(self._format, self.critic_2_target, self.critic_2.weights, share)
        return gradients.loss.priorities

    def _values(self, weights: Sequence[ValueArray], observations: ValueArray, actions: ValueArray) -> list[ValueArray]:
        """Outputs of a critic for observations and actions, layer after layer."""
        return propagate(self.config.critic, weights, np.concatenate([observations, actions], axis=1))
