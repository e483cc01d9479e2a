"""A DQN learner, whole gradient steps, as the hardware computes them."""

from collections.abc import Sequence

from numpy.typing import ArrayLike

from ....hw.cores.learner.learner_config import DQNLearnerConfig
from ..arrays import ValueArray
from ..layer.network import NetworkReference, propagate, rounded
from ..learner_batch import LearnerBatch
from ..optimizer.float_adam import AdamRates
from .temporal_difference_loss import TemporalDifferenceLoss, temporal_difference_loss

__all__ = ["DQNLearnerReference"]


class DQNLearnerReference:
    """Online and target network, and the step.

    Parameters
    ----------
    config : DQNLearnerConfig
    weights : sequence of array (inputs + 1, outputs)
        Real numbers for each layer, the bias as the last row; the target network begins as a copy.

    Attributes
    ----------
    online : NetworkReference
    target : list of array
        Weights of the target network, values of the format.

    Raises
    ------
    ValueError
        Weights of another shape.
    """

    def __init__(self, config: DQNLearnerConfig, weights: Sequence[ArrayLike]):
        self.config = config
        self.online = NetworkReference(config.network, config.optimizer, weights)
        self.target = self.online.weights

    @property
    def weights(self) -> list[ValueArray]:
        """Weights of the online network."""
        return self.online.weights

    def gradients(self, batch: LearnerBatch) -> tuple[list[ValueArray], TemporalDifferenceLoss]:
        """``(gradients, loss)`` of a batch: arrays like the weights, and a :class:`.TemporalDifferenceLoss`."""
        network = self.config.network
        observations, following, rewards, discounts, shares = (
            rounded(network, numbers)
            for numbers in (
                batch.observations,
                batch.next_observations,
                batch.rewards,
                batch.discounts,
                batch.shares,
            )
        )
        activations = propagate(network, self.weights, observations)
        loss = temporal_difference_loss(
            network.arithmetic.format,
            activations[-1],
            propagate(network, self.target, following)[-1],
            batch.actions,
            rewards,
            discounts,
            shares,
            huber=self.config.loss == "huber",
        )
        gradients, _ = self.online.backward(activations, loss.derivatives)
        return gradients, loss

    def step(self, batch: LearnerBatch, rates: AdamRates[float] | float) -> ValueArray:
        """One gradient step; returns the new priorities, values ``(batch,)``.

        Parameters
        ----------
        batch : LearnerBatch
        rates : AdamRates or float
            Real numbers: those of this step for Adam, the learning rate for SGD.
        """
        gradients, loss = self.gradients(batch)
        self.online.update(gradients, rates)
        return loss.priorities

    def copy_to_target(self) -> None:
        """The target network becomes what the online network is."""
        self.target = self.weights
