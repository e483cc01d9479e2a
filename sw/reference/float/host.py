"""The same numbers by the host's floating point, for speed: tens of times faster than on bit patterns.

Arrays hold values, not bit patterns. binary32 is the host's own: float32, with nothing to round. Values of other
formats are float32 where the format and all products of two of its numbers fit it, float64 otherwise
(:func:`working_type`).
There, one operation of that type followed by :func:`round_to` is the correctly rounded operation of the format: the
working type has at least twice as many significant bits and two, so that rounding twice is rounding once (Figueroa,
When is double rounding innocuous?, 1995). That holds for sums, differences and products; :func:`fused_multiply_add`
says where it holds for fused ones.

Values must be numbers of the format; where it flushes subnormals, none of them may be subnormal. NaN has no sign here.
"""

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.float.config import BINARY32, FloatFormat
from ..arrays import IntegerArray, ValueArray, ValueOperand
from .conversion import from_numbers, to_numbers

__all__ = [
    "add",
    "from_bits",
    "fused_multiply_add",
    "maximum",
    "multiply",
    "round_to",
    "subtract",
    "to_bits",
    "working_type",
]

# For each working type: the integer of its width, its fraction bits, its exponent bias.
_LAYOUTS: dict[np.dtype[np.floating], tuple[type[np.unsignedinteger], int, int]] = {
    np.dtype(np.float32): (np.uint32, 23, 127),
    np.dtype(np.float64): (np.uint64, 52, 1023),
}


def working_type(number_format: FloatFormat) -> np.dtype[np.floating]:
    """The type of the arrays: float32 for binary16 and smaller formats and for binary32, else float64."""
    small = number_format.exponent_bits <= 6 and 2 * number_format.precision + 2 <= 24
    return np.dtype(np.float32 if small or number_format == BINARY32 else np.float64)


def from_bits(number_format: FloatFormat, bits: ArrayLike) -> ValueArray:
    """The values of bit patterns."""
    if number_format == BINARY32:
        values = np.asarray(bits).astype(np.uint32).view(np.float32)
        return np.where(np.isnan(values), np.float32(np.nan), values)
    return to_numbers(number_format, bits).astype(working_type(number_format))


def to_bits(number_format: FloatFormat, values: ArrayLike) -> IntegerArray:
    """The bit patterns (int64) of values."""
    if number_format == BINARY32 and getattr(values, "dtype", None) == np.float32:
        bits = np.asarray(values).view(np.uint32).astype(np.int64)
        return np.where(np.isnan(values), number_format.quiet_nan, bits)
    return from_numbers(number_format, np.asarray(values, np.float64))


def round_to(number_format: FloatFormat, values: ValueArray, out: ValueArray | None = None) -> ValueArray:
    """The numbers of the format nearest to values, ties to even, in the type of the array (float32 or float64).

    Adding, and subtracting again, a number so large that the last place of the sum is the last place of the format
    rounds to that place; a scaling that overflows makes infinities of what is too large.
    """
    if number_format == BINARY32 and values.dtype == np.float32:
        if out is None:
            return values
        out[...] = values
        return out
    if not values.ndim and out is None:
        # NumPy's result for a single number is not an array, which could be written to.
        return round_to(number_format, values.reshape(1)).reshape(())
    integer, fraction_bits, bias = _LAYOUTS[values.dtype]
    field = values.view(integer) & integer((2 * bias + 1) << fraction_bits)
    # No last place is below that of the subnormal numbers.
    field = np.maximum(field, integer((bias + 1 - number_format.bias) << fraction_bits), out=field)
    field += integer((fraction_bits - number_format.fraction_bits) << fraction_bits)
    field |= integer(1 << fraction_bits - 1)
    shifter = field.view(values.dtype)
    scale = values.dtype.type(2.0 ** (bias - number_format.bias))
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = values + shifter
        rounded -= shifter
        rounded *= scale
        rounded /= scale
    if not number_format.gradual:
        rounded[np.abs(values) < values.dtype.type(2.0 ** (1 - number_format.bias))] = 0
    return np.copysign(rounded, values, out=rounded if out is None else out)


def add(number_format: FloatFormat, a: ValueOperand, b: ValueOperand) -> ValueArray:
    """``a + b`` on values."""
    with np.errstate(over="ignore", invalid="ignore"):
        return round_to(number_format, np.asarray(a + b))


def subtract(number_format: FloatFormat, a: ValueOperand, b: ValueOperand) -> ValueArray:
    """``a - b`` on values."""
    with np.errstate(over="ignore", invalid="ignore"):
        return round_to(number_format, np.asarray(a - b))


def multiply(number_format: FloatFormat, a: ValueOperand, b: ValueOperand) -> ValueArray:
    """``a * b`` on values."""
    with np.errstate(over="ignore", invalid="ignore"):
        return round_to(number_format, np.asarray(a * b))


def maximum(number_format: FloatFormat, a: ValueOperand, b: ValueOperand) -> ValueArray:
    """IEEE 754-2019 ``maximum`` on values: NaN if either is NaN; +0 is above -0."""
    second = (b > a) | np.isnan(b) | (a == b) & np.signbit(a)
    return np.where(second, b, a).astype(working_type(number_format))


def fused_multiply_add(number_format: FloatFormat, a: ValueOperand, b: ValueOperand, c: ValueOperand) -> ValueArray:
    """``a * b + c`` on values, rounded once: through float64, for binary16 and smaller formats only.

    A product has 22 bits and sums of up to 53 are exact there, which is all but those that are no tie for certain.

    Raises
    ------
    ValueError
        The format is larger than binary16.
    """
    if number_format.exponent_bits > 5 or number_format.precision > 11:
        raise ValueError(f"Format must be no larger than binary16, not {number_format}")
    with np.errstate(over="ignore", invalid="ignore"):
        exact = np.asarray(np.multiply(a, b, dtype=np.float64) + c)
    return round_to(number_format, exact).astype(working_type(number_format))
