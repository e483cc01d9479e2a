"""A DQN learner, whole gradient steps, as the hardware computes them."""

from dataclasses import dataclass

import numpy as np

from ....hw.cores.layer.config import DQNLearnerConfig
from ..float.conversion import from_numbers
from ..float.host import from_bits, to_bits
from ..optimizer.float_adam import float_adam
from ..optimizer.sgd import sgd
from .dqn_loss import DQNLoss, dqn_loss
from .stages import backward, differentiate, forward, gradient

__all__ = ["DQNBatch", "DQNLearnerReference"]


@dataclass(frozen=True, kw_only=True)
class DQNBatch:
    """What a gradient step takes; real numbers, which are rounded to the format.

    Parameters
    ----------
    observations, next_observations : array (batch, inputs)
    actions : array of int (batch,)
    rewards, discounts, weights : array (batch,)
        The discount is 0 where the next observation is terminal; weights have importance and 1 / batch in them.
    """

    observations: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    discounts: np.ndarray
    next_observations: np.ndarray
    weights: np.ndarray


class DQNLearnerReference:
    """Online and target network, moments, and the step.

    Parameters
    ----------
    config : DQNLearnerConfig
    weights : sequence of array (inputs + 1, outputs)
        Real numbers for each layer, the bias as the last row; the target network begins as a copy.

    Attributes
    ----------
    weights, target : list of array
        Values of the format.
    first, second : list of array
        Adam's moments, as bit patterns.

    Raises
    ------
    ValueError
        Weights of another shape.
    """

    def __init__(self, config: DQNLearnerConfig, weights):
        self.config = config
        self._format = config.network.arithmetic.format
        shapes = [(layer.rows, layer.outputs) for layer in config.network.layers]
        given = [np.shape(matrix) for matrix in weights]
        if given != shapes:
            raise ValueError(f"Weights must have the shapes {shapes}, not {given}")
        self.weights = [self._rounded(matrix) for matrix in weights]
        self.target = self.weights
        self.first = [np.zeros(shape, np.int64) for shape in shapes]
        self.second = [np.zeros(shape, np.int64) for shape in shapes]

    def gradients(self, batch: DQNBatch):
        """``(gradients, loss)`` of a batch: arrays like the weights, and a :class:`.DQNLoss`."""
        layers = self.config.network.layers
        activations = [self._rounded(batch.observations)]
        for layer, matrix in zip(layers, self.weights, strict=True):
            activations.append(forward(layer, matrix, activations[-1]))
        following = self._rounded(batch.next_observations)
        for layer, matrix in zip(layers, self.target, strict=True):
            following = forward(layer, matrix, following)
        rewards, discounts, shares = map(self._rounded, (batch.rewards, batch.discounts, batch.weights))
        loss: DQNLoss = dqn_loss(
            self._format,
            activations[-1],
            following,
            batch.actions,
            rewards,
            discounts,
            shares,
            huber=self.config.loss == "huber",
        )
        errors, gradients = loss.derivatives, [None] * len(layers)
        for index in reversed(range(len(layers))):
            errors = differentiate(layers[index], activations[index + 1], errors)
            gradients[index] = gradient(layers[index], activations[index], errors)
            if index:
                errors = backward(layers[index], self.weights[index], errors)
        return gradients, loss

    def step(self, batch: DQNBatch, rates):
        """One gradient step; returns the new priorities, values ``(batch,)``.

        Parameters
        ----------
        batch : DQNBatch
        rates : AdamRates or float
            Real numbers: those of this step for Adam, the learning rate for SGD.
        """
        gradients, loss = self.gradients(batch)
        adam = self.config.optimizer == "adam"
        rates = rates.rounded(self._format) if adam else from_numbers(self._format, rates)
        updated = []
        for index, (matrix, slope) in enumerate(zip(self.weights, gradients, strict=True)):
            bits, slope_bits = to_bits(self._format, matrix), to_bits(self._format, slope)
            if adam:
                bits, self.first[index], self.second[index] = float_adam(
                    self._format, bits, self.first[index], self.second[index], slope_bits, rates
                )
            else:
                bits = sgd(self._format, bits, slope_bits, rates)
            updated.append(from_bits(self._format, bits))
        self.weights = updated
        return loss.priorities

    def copy_to_target(self):
        """The target network becomes what the online network is."""
        self.target = self.weights

    def _rounded(self, numbers):
        """Values nearest to real numbers."""
        return from_bits(self._format, from_numbers(self._format, numbers))
