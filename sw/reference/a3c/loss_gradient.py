"""The loss-gradient unit, on values (:mod:`..float.host`)."""

from functools import partial, reduce
from typing import NamedTuple

import numpy as np

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray, ValueArray
from ..float.functions.host import logarithm
from ..float.host import add, multiply, subtract

__all__ = ["LossGradient", "loss_gradient"]


class LossGradient(NamedTuple):
    """Errors at logits and value (steps, actions + 1), and of each step the return and what it is above the value."""

    errors: ValueArray
    returns: ValueArray
    advantages: ValueArray


def loss_gradient(
    number_format: FloatFormat,
    probabilities: ValueArray,
    values: ValueArray,
    actions: IntegerArray,
    rewards: ValueArray,
    bootstrap: ValueArray,
    *,
    discount: ValueArray,
    entropy: ValueArray,
    value_slope: ValueArray,
) -> LossGradient:
    """Derivatives of a rollout's loss, the advantage of its first term constant::

        the sum over steps of -log p(a) * advantage - c * H(p) + k * advantage^2

    in this order of operations::

        return_t = reward_t + discount * return_t+1
        advantage = return - value
        product_k = p_k * log(p_k);  negative_entropy = (product_0 + product_1) + ...
        logit_k: (p_k - (1 if k = a else 0)) * advantage + entropy * (product_k - p_k * negative_entropy)
        value: value_slope * advantage

    The product of an action that has no probability is +0.

    Parameters
    ----------
    number_format : FloatFormat
    probabilities : array (steps, actions)
    values, actions, rewards : array (steps,)
    bootstrap : array ()
        Value of the state after the rollout, 0 where nothing follows.
    discount : array ()
    entropy : array ()
        c.
    value_slope : array ()
        -2 k; the paper's k is 1.

    Source
    ------
    Ge et al., equations 2 to 6, with the signs of a loss that is minimised.
    """
    kind = values.dtype.type
    zero, one = kind(0), kind(1)
    returns: list[ValueArray] = []
    following = np.reshape(bootstrap, 1)
    for reward in rewards[::-1, None]:
        following = add(number_format, reward, multiply(number_format, discount, following))
        returns.insert(0, following)
    total = np.concatenate(returns)
    advantages = subtract(number_format, total, values)
    logarithms = logarithm(number_format, probabilities)
    impossible = probabilities == 0
    products = np.where(
        impossible, zero, multiply(number_format, probabilities, np.where(impossible, zero, logarithms))
    )
    negative_entropies = reduce(partial(add, number_format), products.T)
    taken = np.where(np.arange(probabilities.shape[1]) == actions[:, None], one, zero)
    policy = multiply(number_format, subtract(number_format, probabilities, taken), advantages[:, None])
    share = multiply(number_format, probabilities, negative_entropies[:, None])
    spread = multiply(number_format, entropy, subtract(number_format, products, share))
    logits = add(number_format, policy, spread)
    value = multiply(number_format, value_slope, advantages)
    return LossGradient(np.concatenate([logits, value[:, None]], axis=1), total, advantages)
