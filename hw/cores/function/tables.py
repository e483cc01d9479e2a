"""Contents of the function tables, in exact integers that gateware and reference both read. No Amaranth here."""

import functools
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from math import isqrt

from ..checks import require_integer

__all__ = [
    "RECIPROCAL_ROOT_FRACTION",
    "TANH_FRACTION",
    "TANH_RANGE_WIDTH",
    "InterpolationTable",
    "hyperbolic_tangent_table",
    "reciprocal_square_root_table",
]

# tanh takes and gives words of 32 bits with this fraction; the table covers [0, 8), that is 23 bits of them.
TANH_FRACTION = 20
TANH_RANGE_WIDTH = TANH_FRACTION + 3
TANH_INTERVALS = 1024
# One bit more than the result keeps base and difference within 36 bits: one block RAM of 1024 x 36.
TANH_GUARD_BITS = 1

RECIPROCAL_ROOT_FRACTION = 24
# The top 8 of the argument's 64 bits choose the interval, and the next 16 interpolate within it.
RECIPROCAL_ROOT_INDEX_WIDTH = 8
RECIPROCAL_ROOT_OFFSET_WIDTH = 16


@dataclass(frozen=True, kw_only=True)
class InterpolationTable:
    """A function by its values at equidistant nodes, linear between them.

    ``f(index, offset) = floor((values[index] * 2**offset_width + (values[index + 1] - values[index]) * offset)
    / 2**shift + 1/2)``: rounded once.

    Parameters
    ----------
    values : tuple of int
        The function at the nodes, not negative, one more than there are intervals.
    offset_width : int
        Bits of the position within an interval (1 to 24).
    guard_bits : int
        Fraction bits of the values beyond those of the result (0 to 16).

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    values: tuple[int, ...]
    offset_width: int
    guard_bits: int = 0

    def __post_init__(self):
        require_integer("Offset width", self.offset_width, 1, 24)
        require_integer("Guard bits", self.guard_bits, 0, 16)
        require_integer("Number of values", len(self.values), 3, (1 << 16) + 1)
        for value in self.values:
            require_integer("Value", value, 0, (1 << 40) - 1)

    @property
    def intervals(self):
        """Number of intervals."""
        return len(self.values) - 1

    @property
    def bases(self):
        """Values at the lower ends of the intervals."""
        return self.values[:-1]

    @property
    def differences(self):
        """By how much the function grows over each interval."""
        return tuple(upper - lower for lower, upper in zip(self.values, self.values[1:], strict=False))

    @property
    def base_width(self):
        """Bits of the largest base."""
        return max(self.values).bit_length()

    @property
    def difference_width(self):
        """Bits of the differences; they are unsigned if all of them are positive."""
        return max(abs(difference).bit_length() for difference in self.differences) + self.falls

    @property
    def falls(self):
        """Whether a difference is negative: then they are signed."""
        return min(self.differences) < 0

    @property
    def shift(self):
        """Bits that the final rounding drops."""
        return self.offset_width + self.guard_bits


@functools.cache
def hyperbolic_tangent_table():
    """tanh over [0, 8) in 1024 intervals."""
    context = Context(prec=40)
    fraction = TANH_FRACTION + TANH_GUARD_BITS
    values = []
    for node in range(TANH_INTERVALS + 1):
        # exp(2x) for x = node * 8 / intervals.
        power = context.exp(context.divide(Decimal(16 * node), Decimal(TANH_INTERVALS)))
        tanh = context.divide(power - 1, power + 1)
        values.append(int((tanh * (1 << fraction) + Decimal("0.5")).to_integral_value(rounding=ROUND_FLOOR)))
    offset_width = TANH_RANGE_WIDTH - (TANH_INTERVALS - 1).bit_length()
    return InterpolationTable(values=tuple(values), offset_width=offset_width, guard_bits=TANH_GUARD_BITS)


@functools.cache
def reciprocal_square_root_table():
    """1 / sqrt(x) over [1/4, 1] in 192 intervals of 1/256."""
    steps = 1 << RECIPROCAL_ROOT_INDEX_WIDTH
    values = []
    for node in range(steps // 4, steps + 1):
        # round(2^24 / sqrt(node / 256)) = floor((sqrt(4 * 2^48 * 256 / node) + 1) / 2), in integers.
        doubled = isqrt((4 << 2 * RECIPROCAL_ROOT_FRACTION) * steps // node)
        values.append((doubled + 1) // 2)
    return InterpolationTable(values=tuple(values), offset_width=RECIPROCAL_ROOT_OFFSET_WIDTH)
