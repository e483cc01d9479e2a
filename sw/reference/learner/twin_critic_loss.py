"""The losses of two critics against the lesser of their targets, on values (:mod:`..float.host`)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....hw.cores.float.config import FloatFormat
from ..arrays import ValueArray
from ..float.host import add, maximum, multiply, subtract
from .temporal_difference_loss import temporal_difference_loss

__all__ = ["TwinCriticLoss", "lesser_value_errors", "twin_critic_loss"]


class TwinCriticLoss(NamedTuple):
    """Results of the loss for each sample.

    Parameters
    ----------
    derivatives : tuple of two arrays (batch, 1)
        Derivatives of the weighted loss of each critic by its value.
    priorities : array (batch,)
        Means of the magnitudes of both temporal-difference errors.
    """

    derivatives: tuple[ValueArray, ...]
    priorities: ValueArray


def twin_critic_loss(
    number_format: FloatFormat,
    values: Sequence[ValueArray],
    next_values: Sequence[ValueArray],
    log_densities: ValueArray,
    temperature: ValueArray,
    rewards: ValueArray,
    discounts: ValueArray,
    weights: ValueArray,
    *,
    huber: bool,
) -> TwinCriticLoss:
    """Loss and errors of a batch of samples; each operation is rounded, in the order written::

        next_value = min(next_values) - temperature * log_density
        priority = 0.5 * (|error_1| + |error_2|)

    with :func:`.temporal_difference_loss` of each critic's value and this next one.

    Parameters
    ----------
    number_format : FloatFormat
    values, next_values : two arrays (batch, 1)
        Values of the critics at the action that was taken, and of their targets at the one that was drawn next.
    log_densities : array (batch,)
        Log densities of the action that was drawn next.
    temperature : number
    rewards, discounts, weights : array (batch,)
        See :func:`.temporal_difference_loss`.
    huber : bool

    Source
    ------
    T. Haarnoja et al., "Soft actor-critic algorithms and applications", 2019, equations 5 and 6.
    """
    # The lesser is minus the greater of what is negated: NaN if one is.
    lesser = -maximum(number_format, *(-each for each in next_values))
    entropy = multiply(number_format, temperature, log_densities)[:, None]
    following = subtract(number_format, lesser, entropy)
    actions = np.zeros(len(rewards), int)
    losses = [
        temporal_difference_loss(number_format, each, following, actions, rewards, discounts, weights, huber=huber)
        for each in values
    ]
    total = add(number_format, losses[0].priorities, losses[1].priorities)
    priorities = multiply(number_format, total.dtype.type(0.5), total)
    return TwinCriticLoss(tuple(loss.derivatives for loss in losses), priorities)


def lesser_value_errors(values: Sequence[ValueArray], slope: ValueArray) -> tuple[ValueArray, ValueArray]:
    """Errors at two critics' values, of a loss by the lesser of both: ``slope`` where that is it, +0 elsewhere.

    It is the first one also where both are equal or one is NaN.
    """
    second = values[1] < values[0]
    nothing = slope.dtype.type(0)
    return np.where(second, nothing, slope), np.where(second, slope, nothing)
