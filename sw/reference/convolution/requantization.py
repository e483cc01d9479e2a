"""From exact sums back to words: bias, multiplier, shift, ReLU, rounding, saturation."""

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.checks import require_integer
from ..arrays import IntegerArray, IntegerOperand
from ..fixed.arithmetic import round_half_up, saturate

__all__ = ["LARGEST_SHIFT", "MULTIPLIER_WIDTH", "multipliers", "requantize"]

MULTIPLIER_WIDTH = 16
LARGEST_SHIFT = 63

# (sum + bias) * multiplier fits int64 up to here.
LARGEST_ACCUMULATOR_WIDTH = 64 - MULTIPLIER_WIDTH - 1


def requantize(
    sums: IntegerArray,
    *,
    multiplier: IntegerOperand,
    shift: int,
    bias: IntegerOperand = 0,
    rectified: bool = False,
    output_width: int = 8,
    accumulator_width: int = 32,
) -> tuple[IntegerArray, int]:
    """``saturate(floor((sum + bias) * multiplier / 2**shift + 1/2))``, ReLU before the saturation.

    Parameters
    ----------
    sums : array (..., C_out) of int
    multiplier : int, or array of int
        Unsigned, 16 bits. One for each output channel, (C_out,), or whatever broadcasts.
    shift : int
        0 to 63, one for a layer.
    bias : int, or array of int
        As ``multiplier``, signed, as wide as the accumulators. The sum with it is exact: one bit wider.
    rectified : bool
        Whether negative results become 0. They are not counted as saturated then.
    output_width : int
        Bits of the result, two's complement.
    accumulator_width : int
        Bits of the accumulators, two's complement; 47 at most.

    Returns
    -------
    words : array of int64
    saturated : int
        How many of them were clamped to the range of the output.

    Raises
    ------
    TypeError, ValueError
        A parameter out of its range, or sums that do not fit the accumulators: they never wrap silently.
    """
    require_integer("Shift", shift, 0, LARGEST_SHIFT)
    require_integer("Accumulator width", accumulator_width, 1, LARGEST_ACCUMULATOR_WIDTH)
    require_integer("Output width", output_width, 1, accumulator_width)
    _require_range("Multiplier", multiplier, 0, (1 << MULTIPLIER_WIDTH) - 1)
    limits = -(1 << accumulator_width - 1), (1 << accumulator_width - 1) - 1
    _require_range("Bias", bias, *limits)
    _require_range("Sums", sums, *limits)
    scaled = np.asarray((sums + np.asarray(bias)) * np.asarray(multiplier))
    rounded = round_half_up(scaled, shift) if shift else scaled
    if rectified:
        rounded = np.maximum(rounded, 0)
    words, clamped = saturate(rounded, output_width)
    return words, int(clamped.sum())


def multipliers(ratios: ArrayLike) -> tuple[IntegerArray, int]:
    """Multipliers and the one shift that stand for positive real ratios: ``multiplier / 2**shift``.

    The shift is the largest with which every multiplier fits 16 bits. The error is at most half a unit of a multiplier,
    2**-16 of the largest ratio.

    Raises
    ------
    ValueError
        A ratio that is not positive and finite, or one too large for a shift of 0.
    """
    numbers = np.asarray(ratios, np.float64)
    wrong = numbers[~((numbers > 0) & np.isfinite(numbers))]
    if wrong.size:
        raise ValueError(f"Ratios must be positive and finite, not {wrong.flat[0]}")
    largest = (1 << MULTIPLIER_WIDTH) - 1
    for shift in range(LARGEST_SHIFT, -1, -1):
        words = np.floor(np.ldexp(numbers, shift) + 0.5)
        if words.max() <= largest:
            return words.astype(np.int64), shift
    raise ValueError(f"Ratios must be below {largest + 0.5}, not {numbers.max()}")


def _require_range(name: str, values: IntegerOperand, low: int, high: int) -> None:
    array = np.asarray(values)
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} must be integers, not {array.dtype}")
    outside = array[(array < low) | (array > high)]
    if outside.size:
        raise ValueError(f"{name} must be from {low} to {high}, not {outside.flat[0]}")
