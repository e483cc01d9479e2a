"""How far the functions of numbers are from the exact ones, in units in the last place.

``python -m rewardware.sw.reference.float.functions.errors binary16 bfloat16 binary32`` prints the largest errors, and
where they are. It searches every operand on which they depend, binary32 in some ten minutes of one core.
"""

import argparse
import sys
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .....hw.cores.float.config import FORMATS, FloatFormat, find_format
from ...arrays import IntegerArray, RealArray
from ..conversion import to_numbers
from .exponential import exponential
from .logarithm import logarithm
from .reciprocal import reciprocal
from .sigmoid_tanh import hyperbolic_tangent, sigmoid
from .square_root import reciprocal_square_root, square_root

__all__ = ["EXACT", "errors", "largest_error", "searched"]

# A function of bit patterns of a format.
Function = Callable[[FloatFormat, ArrayLike], IntegerArray]

_CHUNK = 1 << 18


def _exact_sigmoid(x: RealArray) -> RealArray:
    power = np.exp(-np.abs(x))
    return np.where(x < 0, power, 1) / (1 + power)


# Each function in float64, whose own error is below 2**-28 units of binary32.
EXACT: dict[Function, Callable[[RealArray], RealArray]] = {
    reciprocal: lambda x: 1 / x,
    square_root: np.sqrt,
    reciprocal_square_root: lambda x: 1 / np.sqrt(x),
    exponential: np.exp,
    logarithm: np.log,
    sigmoid: _exact_sigmoid,
    hyperbolic_tangent: np.tanh,
}


def errors(function: Function, number_format: FloatFormat, bits: ArrayLike) -> RealArray:
    """Distances of results from the exact ones, in units in the last place of these; NaN where both are NaN.

    Infinity counts as the power of two that follows the largest number. Where a flushing format makes a zero of what is
    below its smallest number, there is no error.
    """
    numbers = to_numbers(number_format, bits)
    result = to_numbers(number_format, function(number_format, bits))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        exact = EXACT[function](numbers)
    limit = 2.0 ** (number_format.bias + 1)
    exact, result = np.clip(exact, -limit, limit), np.clip(result, -limit, limit)
    _, exponent = np.frexp(exact)
    exponent = np.clip(exponent - 1, 1 - number_format.bias, number_format.bias) - number_format.fraction_bits
    distance = np.abs(np.ldexp(result - exact, -exponent))
    if not number_format.gradual:
        distance[(np.abs(exact) < 2.0 ** (1 - number_format.bias)) & (result == 0)] = 0
    # A number instead of NaN, or NaN instead of a number, is as wrong as can be.
    return np.where(np.isnan(exact) != np.isnan(result), np.inf, distance)


def largest_error(function: Function, number_format: FloatFormat, bits: ArrayLike) -> tuple[float, int]:
    """``(error, operand)``: the largest of :func:`errors` and the bit pattern that has it."""
    distance = errors(function, number_format, bits)
    place = np.nanargmax(distance)
    return float(distance[place]), int(np.broadcast_to(bits, distance.shape).flat[place])


def searched(function: Function, number_format: FloatFormat) -> list[tuple[int, int]]:
    """The bit patterns from ``start`` to before ``stop``, of ranges ``(start, stop)``, on which the errors depend."""
    one, bias, bits = number_format.one, number_format.bias, number_format.fraction_bits
    last = number_format.exponent_ones
    if function in (reciprocal, square_root, reciprocal_square_root):
        # The significand, and whether the exponent is even, is what the table sees.
        return [(one, one + (2 << bits))]
    if function is logarithm:
        return [(0, number_format.infinity)]
    # Smaller operands have results next to 1, 1/2 or themselves, larger ones those of infinities.
    lowest, highest = max(0, bias - bits - 2), min(last, bias + number_format.exponent_bits)
    ranges = [(lowest << bits, highest << bits)]
    if function is not hyperbolic_tangent:
        ranges.append((ranges[0][0] | number_format.sign_bit, ranges[0][1] | number_format.sign_bit))
    return ranges


def _main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="Largest errors of the floating-point functions.")
    parser.add_argument("formats", nargs="*", default=["binary16", "bfloat16", "binary32"], help=", ".join(FORMATS))
    parser.add_argument("--only", nargs="*", choices=[function.__name__ for function in EXACT], help="functions")
    options = parser.parse_args(arguments)
    for name in options.formats:
        number_format = find_format(name)
        for function in EXACT:
            if options.only and function.__name__ not in options.only:
                continue
            error, operand = max(
                largest_error(function, number_format, np.arange(start, min(start + _CHUNK, stop)))
                for first, stop in searched(function, number_format)
                for start in range(first, stop, _CHUNK)
            )
            print(f"{name} {function.__name__}: {error:.4f} at {operand:#x}", flush=True)


if __name__ == "__main__":
    _main(sys.argv[1:])
