"""Rates of A3C's inferences and updates. Pure data."""

from dataclasses import dataclass

__all__ = ["A3CRates"]


@dataclass(frozen=True, kw_only=True)
class A3CRates:
    """Numbers that inferences and updates take besides those of the rollout.

    Parameters
    ----------
    discount
        Discount of returns.
    entropy
        c, what a unit of entropy is worth.
    value_slope
        -2 times the share of the value's loss.
    decay, one_minus_decay, learning_rate, epsilon
        Decay, one minus decay, learning rate and epsilon of RMSProp.
    """

    discount: float
    entropy: float
    value_slope: float
    decay: float
    one_minus_decay: float
    learning_rate: float
    epsilon: float
