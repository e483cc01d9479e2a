"""The loss of MAAC's critics, on values (:mod:`..float.host`)."""

from typing import NamedTuple

import numpy as np

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray, ValueArray
from ..float.functions.host import logarithm
from ..float.host import add, multiply, subtract

__all__ = ["CriticVerdict", "attentive_critic_loss", "chosen"]


class CriticVerdict(NamedTuple):
    """Derivatives by all values, and of each sample the value of its action and its error."""

    derivatives: ValueArray
    values: ValueArray
    errors: ValueArray


def attentive_critic_loss(
    number_format: FloatFormat,
    values: ValueArray,
    next_values: ValueArray,
    actions: IntegerArray,
    rewards: ValueArray,
    discounts: ValueArray,
    choices: IntegerArray,
    probabilities: ValueArray,
    entropy_share: ValueArray,
    slope: ValueArray,
) -> CriticVerdict:
    """``error = value - (reward + discount * (next value - log(probability) * entropy_share))``, and ``slope * error``.

    Parameters
    ----------
    number_format : FloatFormat
    values, next_values : array (samples, actions)
    actions, choices : array of int (samples,)
        Actions that were taken, and those that the target policies have drawn.
    rewards, discounts, probabilities : array (samples,)
        The probabilities of the choices.
    entropy_share, slope : array ()
    """
    logs = logarithm(number_format, probabilities)
    following = subtract(number_format, chosen(next_values, choices), multiply(number_format, logs, entropy_share))
    target = add(number_format, rewards, multiply(number_format, discounts, following))
    taken = chosen(values, actions)
    errors = subtract(number_format, taken, target)
    derivatives = np.zeros_like(values)
    np.put_along_axis(derivatives, actions[:, None], multiply(number_format, slope, errors)[:, None], axis=1)
    return CriticVerdict(derivatives, taken, errors)


def chosen(values: ValueArray, choices: IntegerArray) -> ValueArray:
    """The value of each sample's choice."""
    return np.take_along_axis(values, choices[:, None], axis=1)[:, 0]
