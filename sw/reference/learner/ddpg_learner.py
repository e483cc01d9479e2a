"""A DDPG learner, whole gradient steps, as the hardware is to compute them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.learner.learner_config import DDPGLearnerConfig
from ..arrays import ValueArray
from ..layer.network import NetworkReference, propagate, rounded
from ..learner_batch import LearnerBatch
from ..optimizer.float_adam import AdamRates
from ..optimizer.soft_update import approach
from .temporal_difference_loss import TemporalDifferenceLoss, temporal_difference_loss

__all__ = ["DDPGGradients", "DDPGLearnerReference"]


class DDPGGradients(NamedTuple):
    """Gradients of both networks, arrays like the weights, and the loss of the critic."""

    actor: list[ValueArray]
    critic: list[ValueArray]
    loss: TemporalDifferenceLoss


class DDPGLearnerReference:
    """Actor, critic, their targets, and the step.

    Both gradients are those of the weights before the step, so that all stages work on a sample at the same time; the
    critic that tells the actor's gradient has not been updated with this batch.

    Parameters
    ----------
    config : DDPGLearnerConfig
    actor, critic : sequence of array (inputs + 1, outputs)
        Weights as real numbers for each layer, the bias as the last row; targets begin as copies.

    Attributes
    ----------
    actor, critic : NetworkReference
    actor_target, critic_target : list of array
        Weights, values of the format.

    Raises
    ------
    ValueError
        Weights of another shape.

    Source
    ------
    T. P. Lillicrap et al., "Continuous control with deep reinforcement learning", ICLR 2016, algorithm 1.
    """

    def __init__(self, config: DDPGLearnerConfig, actor: Sequence[ArrayLike], critic: Sequence[ArrayLike]):
        self.config = config
        self._format = config.actor.arithmetic.format
        self.actor = NetworkReference(config.actor, config.optimizer, actor)
        self.critic = NetworkReference(config.critic, config.optimizer, critic)
        self.actor_target, self.critic_target = self.actor.weights, self.critic.weights

    def gradients(self, batch: LearnerBatch) -> DDPGGradients:
        """Gradients of a batch.

        The critic's loss is the temporal-difference loss of its one value (:func:`.temporal_difference_loss`). The
        actor's is the mean of the critic's values at its actions, negative: each sample's derivative by the value is
        ``-1 / batch``.
        """
        actor, critic = self.config.actor, self.config.critic
        observations, actions, following, rewards, discounts, shares = (
            rounded(actor, numbers)
            for numbers in (
                batch.observations,
                batch.actions,
                batch.next_observations,
                batch.rewards,
                batch.discounts,
                batch.shares,
            )
        )
        next_actions = propagate(actor, self.actor_target, following)[-1]
        next_values = propagate(critic, self.critic_target, _joined(following, next_actions))[-1]
        activations = propagate(critic, self.critic.weights, _joined(observations, actions))
        loss = temporal_difference_loss(
            self._format,
            activations[-1],
            next_values,
            np.zeros(len(shares), int),
            rewards,
            discounts,
            shares,
            huber=self.config.loss == "huber",
        )
        critic_gradients, _ = self.critic.backward(activations, loss.derivatives)

        chosen = propagate(actor, self.actor.weights, observations)
        judged = propagate(critic, self.critic.weights, _joined(observations, chosen[-1]))
        slopes = rounded(actor, np.full((len(shares), 1), -1 / len(shares)))
        _, errors = self.critic.backward(judged, slopes, to_inputs=True)
        actor_gradients, _ = self.actor.backward(chosen, errors[:, self.config.observations :])
        return DDPGGradients(actor_gradients, critic_gradients, loss)

    def step(
        self,
        batch: LearnerBatch,
        actor_rates: AdamRates[float] | float,
        critic_rates: AdamRates[float] | float,
        tau: float,
    ) -> ValueArray:
        """One gradient step of both networks; returns the new priorities, values ``(batch,)``.

        Targets move towards the new weights, ``target + tau * (weight - target)``, each operation rounded.

        Parameters
        ----------
        batch : LearnerBatch
        actor_rates, critic_rates : AdamRates or float
            Real numbers: those of this step for Adam, the learning rate for SGD.
        tau : float
        """
        gradients = self.gradients(batch)
        self.actor.update(gradients.actor, actor_rates)
        self.critic.update(gradients.critic, critic_rates)
        share = rounded(self.config.actor, tau)
        self.actor_target = approach(self._format, self.actor_target, self.actor.weights, share)
        self.critic_target = approach(self._format, self.critic_target, self.critic.weights, share)
        return gradients.loss.priorities


def _joined(observations: ValueArray, actions: ValueArray) -> ValueArray:
    return np.concatenate([observations, actions], axis=1)
