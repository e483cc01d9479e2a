"""The loss of MAAC's policies, on values (:mod:`..float.host`)."""

from functools import partial, reduce
from typing import NamedTuple

import numpy as np

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray, ValueArray
from ..float.functions.host import logarithm
from ..float.host import add, multiply, subtract
from .attentive_critic_loss import chosen

__all__ = ["PolicyVerdict", "counterfactual_loss"]


class PolicyVerdict(NamedTuple):
    """Derivatives by all logits, and of each sample log p(a) and the advantage of its action."""

    derivatives: ValueArray
    logarithms: ValueArray
    advantages: ValueArray


def counterfactual_loss(
    number_format: FloatFormat,
    probabilities: ValueArray,
    values: ValueArray,
    choices: IntegerArray,
    entropy_share: ValueArray,
    slope: ValueArray,
) -> PolicyVerdict:
    """Derivatives of ``log p(a) * (log p(a) * entropy_share - advantage)``, the second factor constant::

        advantage = Q(a) - ((p_0 * Q_0 + p_1 * Q_1) + ...)
        derivative_b = ((log(p(a)) * entropy_share - advantage) * slope) * ((1 if b = a else 0) - p_b)

    The product of an action that has no probability is +0, whatever its value is.

    Parameters
    ----------
    number_format : FloatFormat
    probabilities, values : array (samples, actions)
    choices : array of int (samples,)
        The actions that were drawn.
    entropy_share, slope : array ()
    """
    zero, one = values.dtype.type(0), values.dtype.type(1)
    products = multiply(number_format, probabilities, np.where(probabilities == 0, zero, values))
    baselines = reduce(partial(add, number_format), np.moveaxis(products, -1, 0))
    advantages = subtract(number_format, chosen(values, choices), baselines)
    logarithms = logarithm(number_format, chosen(probabilities, choices))
    factors = subtract(number_format, multiply(number_format, logarithms, entropy_share), advantages)
    scaled = multiply(number_format, factors, slope)
    taken = np.where(np.arange(values.shape[1]) == choices[:, None], one, zero)
    derivatives = multiply(number_format, scaled[:, None], subtract(number_format, taken, probabilities))
    return PolicyVerdict(derivatives, logarithms, advantages)
