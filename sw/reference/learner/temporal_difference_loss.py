"""The temporal-difference loss and its derivative, on values (:mod:`..float.host`)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.float.config import FloatFormat
from ..arrays import ValueArray
from ..float.host import add, maximum, multiply, subtract

__all__ = ["TemporalDifferenceLoss", "temporal_difference_loss"]


class TemporalDifferenceLoss(NamedTuple):
    """Results of the loss stage for each sample.

    Parameters
    ----------
    derivatives : array (batch, actions)
        Derivatives of the weighted loss by the values: +0 but for the action taken.
    priorities : array (batch,)
        Magnitudes of the temporal-difference errors.
    """

    derivatives: ValueArray
    priorities: ValueArray


def temporal_difference_loss(
    number_format: FloatFormat,
    values: ValueArray,
    next_values: ValueArray,
    actions: NDArray[np.integer],
    rewards: ValueArray,
    discounts: ValueArray,
    weights: ValueArray,
    *,
    huber: bool,
) -> TemporalDifferenceLoss:
    """Loss and errors of a batch of samples; each operation is rounded, in the order written::

        error = values[action] - (reward + discount * max(next_values))
        derivative = weight * (clamp(error, -1, 1) if huber else error)

    Parameters
    ----------
    number_format : FloatFormat
    values, next_values : array (batch, actions)
        Values of the trained network at the state, and of the target network at the next one. A critic has one value.
    actions : array of int (batch,)
    rewards, discounts, weights : array (batch,)
        The discount is 0 where the next state is terminal; weights have importance and 1 / batch in them.
    huber : bool
        Threshold 1; otherwise half the square of the error.

    Source
    ------
    V. Mnih et al., "Human-level control through deep reinforcement learning", Nature 518, 2015; T. Schaul et al.,
    "Prioritized experience replay", ICLR 2016, for the weights.
    """
    best = next_values[:, 0]
    for action in range(1, next_values.shape[1]):
        best = maximum(number_format, best, next_values[:, action])
    samples = np.arange(len(values))
    target = add(number_format, rewards, multiply(number_format, discounts, best))
    errors = subtract(number_format, values[samples, actions], target)
    slopes = np.clip(errors, errors.dtype.type(-1), errors.dtype.type(1)) if huber else errors
    derivatives = np.zeros_like(values)
    derivatives[samples, actions] = multiply(number_format, weights, slopes)
    return TemporalDifferenceLoss(derivatives, np.abs(errors))
