"""Actions that a policy draws, and their derivatives, on values (:mod:`..float.host`)."""

from collections.abc import Callable
from functools import partial, reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.float.config import FloatFormat
from ....hw.cores.learner.squashed_gaussian_config import DENSITY_CONSTANT, HIGHEST_LOGARITHM, LOWEST_LOGARITHM
from ..arrays import FlagArray, IntegerArray, ValueArray
from ..float.conversion import from_numbers
from ..float.functions.host import exponential, logarithm
from ..float.functions.sigmoid_tanh import hyperbolic_tangent
from ..float.host import add, from_bits, multiply, subtract, to_bits

__all__ = ["DrawnActions", "squashed_gaussian", "squashed_gaussian_derivative"]


class DrawnActions(NamedTuple):
    """The action drawn for each sample, and what its derivative needs.

    Parameters
    ----------
    actions : array (batch, actions)
        Hyperbolic tangents, from -1 to 1.
    spreads : array (batch, actions)
        Standard deviations times noise.
    within : array of bool (batch, actions)
        Whether the logarithm of the standard deviation is none of those that are kept at a bound.
    log_densities : array (batch,)
        Logarithms of the density of the action.
    """

    actions: ValueArray
    spreads: ValueArray
    within: FlagArray
    log_densities: ValueArray


def squashed_gaussian(number_format: FloatFormat, outputs: ValueArray, noises: ValueArray) -> DrawnActions:
    """Actions of a network's outputs, means and after them logarithms s of standard deviations; each operation is
    rounded, in the order written::

        spread = exp(s kept between -20 and 2) * noise
        u = mean + spread
        action = tanh(u)
        half = |u| + ln(1 + exp(-(|u| + |u|)))
        log_density = ((half + half) - ((0.5 * noise) * noise + s)) - (2 ln(2) + ln(2 pi) / 2)

    Logarithms of the elements' densities are added one after the other.

    Parameters
    ----------
    number_format : FloatFormat
    outputs : array (batch, 2 * actions)
    noises : array (batch, actions)
        Standard normal numbers.
    """
    means, unbounded = np.split(outputs, 2, axis=1)
    below, above = unbounded < LOWEST_LOGARITHM, unbounded > HIGHEST_LOGARITHM
    kind = outputs.dtype.type
    logs = np.where(below, kind(LOWEST_LOGARITHM), np.where(above, kind(HIGHEST_LOGARITHM), unbounded))
    spreads = multiply(number_format, exponential(number_format, logs), noises)
    before = add(number_format, means, spreads)
    actions = _apply(number_format, hyperbolic_tangent, before)

    magnitudes = np.abs(before)
    powers = exponential(number_format, -add(number_format, magnitudes, magnitudes))
    softplus = logarithm(number_format, add(number_format, kind(1), powers))
    half = add(number_format, magnitudes, softplus)
    squares = multiply(number_format, multiply(number_format, kind(0.5), noises), noises)
    normal = add(number_format, squares, logs)
    density = subtract(number_format, add(number_format, half, half), normal)
    constant = from_bits(number_format, from_numbers(number_format, DENSITY_CONSTANT))
    densities = subtract(number_format, density, constant)
    log_densities = reduce(partial(add, number_format), np.moveaxis(densities, 1, 0))
    return DrawnActions(actions, spreads, ~below & ~above, log_densities)


def squashed_gaussian_derivative(
    number_format: FloatFormat, drawn: DrawnActions, errors: ValueArray, entropy_slope: ValueArray
) -> ValueArray:
    """Derivatives of a loss by the network's outputs; each operation is rounded, in the order written::

        at_u = error * (1 - action * action) - (entropy_slope + entropy_slope) * action
        by_mean = at_u;  by_logarithm = at_u * spread + entropy_slope, or +0 where the logarithm is kept at a bound

    The logarithm of the density of ``tanh(u)`` has the derivative ``2 tanh(u)`` by u, and -1 by the logarithm of the
    standard deviation.

    Parameters
    ----------
    number_format : FloatFormat
    drawn : DrawnActions
    errors : array (batch, actions)
        Derivatives of the loss by the actions.
    entropy_slope : number
        Derivative of the loss by the negative logarithm of a density.
    """
    slopes = subtract(number_format, errors.dtype.type(1), multiply(number_format, drawn.actions, drawn.actions))
    entropy = multiply(number_format, add(number_format, entropy_slope, entropy_slope), drawn.actions)
    by_means = subtract(number_format, multiply(number_format, errors, slopes), entropy)
    by_logs = add(number_format, multiply(number_format, by_means, drawn.spreads), entropy_slope)
    by_logs = np.where(drawn.within, by_logs, by_logs.dtype.type(0))
    return np.concatenate([by_means, by_logs], axis=1)


def _apply(
    number_format: FloatFormat, function: Callable[[FloatFormat, ArrayLike], IntegerArray], values: ValueArray
) -> ValueArray:
    """A function of bit patterns, on values."""
    return from_bits(number_format, function(number_format, to_bits(number_format, values)))
