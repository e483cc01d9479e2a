"""Functions as pieces of polynomials, in exact integers that gateware and reference both read. No Amaranth here."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, localcontext

from ..checks import require_integer

__all__ = ["PolynomialTable", "fit_polynomials"]

# Decimal digits while coefficients are found.
_PRECISION = 40


@dataclass(frozen=True, kw_only=True)
class PolynomialTable:
    """A polynomial of the first or second degree for each of a row of equal intervals.

    ``f(index, u) = c0 + floor((c1 + floor(c2 * u / 2**offset_width)) * u / 2**offset_width)``, the ``c`` those of the
    interval; without ``c2`` where the degree is 1.

    Parameters
    ----------
    coefficients : tuple of tuple of int
        For each interval ``(c0, c1)`` or ``(c0, c1, c2)``; of any sign, below 2**40 in magnitude.
    offset_width : int
        Bits of the position ``u`` within an interval (1 to 24).

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    coefficients: tuple[tuple[int, ...], ...]
    offset_width: int

    def __post_init__(self):
        require_integer("Offset width", self.offset_width, 1, 24)
        require_integer("Number of intervals", len(self.coefficients), 2, 1 << 16)
        require_integer("Number of coefficients", len(self.coefficients[0]), 2, 3)
        for row in self.coefficients:
            if len(row) != len(self.coefficients[0]):
                raise ValueError(f"Intervals must have {len(self.coefficients[0])} coefficients each, not {len(row)}")
            for value in row:
                require_integer("Coefficient", value, 1 - (1 << 40), (1 << 40) - 1)

    @property
    def intervals(self):
        """Number of intervals."""
        return len(self.coefficients)

    @property
    def degree(self):
        """Degree of the polynomials."""
        return len(self.coefficients[0]) - 1

    def evaluate(self, index, offset):
        """The function, by Python's integers."""
        result = 0
        for value in reversed(self.coefficients[index]):
            result = value + (result * offset >> self.offset_width)
        return result

    def bounds(self, power):
        """The smallest and the largest coefficient of a power."""
        column = [row[power] for row in self.coefficients]
        return min(column), max(column)

    @property
    def slope_bounds(self):
        """The least and the largest of ``c1 + floor(c2 * u / 2**offset_width)``."""
        if self.degree == 1:
            return self.bounds(1)
        last = (1 << self.offset_width) - 1
        ends = [c1 + (c2 * u >> self.offset_width) for _, c1, c2 in self.coefficients for u in (0, last)]
        return min(ends), max(ends)

    @property
    def result_bounds(self):
        """The smallest and the largest of the results at the ends of intervals: of a monotone function, of all."""
        last = (1 << self.offset_width) - 1
        ends = [self.evaluate(index, u) for index in range(self.intervals) for u in (0, last)]
        return min(ends), max(ends)


def fit_polynomials(
    function: Callable[[Decimal, Context], Decimal],
    *,
    start: int | Decimal = 0,
    end: int | Decimal = 1,
    intervals: int,
    degree: int,
    fraction: int,
    first: int | None = None,
) -> tuple[tuple[int, ...], ...]:
    """Coefficients of a smooth function, through its values at the Chebyshev nodes of each interval.

    Parameters
    ----------
    function : callable
        Takes a Decimal and the context to compute in.
    start, end : int or Decimal
        Ends of the domain.
    intervals, degree : int
        How many pieces, and of which degree (1 or 2).
    fraction : int
        Fraction bits of the result.
    first : int or None
        The result at ``start``, where that shall be exact.
    """
    context = Context(prec=_PRECISION)
    with localcontext(context):
        scale, width = Decimal(1 << fraction), (Decimal(end) - Decimal(start)) / intervals
        # Nodes within [-1, 1]: two at cos(pi/4), or two at cos(pi/6) and 0.
        spread = (Decimal(1 + degree) / 4).sqrt()
        rows = []
        for index in range(intervals):
            left = start + index * width
            lower, upper = (function(left + (1 + sign * spread) / 2 * width, context) * scale for sign in (-1, 1))
            # In powers of the position s from -1 to 1, then of u = (s + 1) / 2.
            slope = (upper - lower) / (2 * spread)
            if degree == 1:
                row = [(lower + upper) / 2 - slope, 2 * slope]
            else:
                middle = function(left + width / 2, context) * scale
                bend = ((lower + upper) / 2 - middle) / (spread * spread)
                row = [middle - slope + bend, 2 * slope - 4 * bend, 4 * bend]
            # Each cut in the evaluation takes half a unit on the average, the inner one weighted by u.
            row[0] += Decimal("0.5") if degree == 1 else Decimal("0.75")
            rounded = [int((value + Decimal("0.5")).to_integral_value(rounding=ROUND_FLOOR)) for value in row]
            if index == 0 and first is not None:
                rounded[0] = first
            rows.append(tuple(rounded))
    return tuple(rows)
