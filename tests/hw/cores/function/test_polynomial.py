"""Tables of polynomials: the evaluator against its reference, the fit against the function."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import FloatFormat
from rewardware.hw.cores.float.functions import tables
from rewardware.hw.cores.function.polynomial import PolynomialTable, fit_polynomials
from rewardware.hw.cores.function.polynomial_evaluator import PolynomialEvaluator
from rewardware.sim.harness.vectors import evaluate
from rewardware.sw.reference.function.polynomial_table import PolynomialTableReference

LINES = PolynomialTable(coefficients=((9, -40), (-3, 77), (100, 0)), offset_width=5)
PARABOLAS = PolynomialTable(coefficients=((1000, 300, -90), (1210, 130, 45), (7, 9, 11)), offset_width=7)


@pytest.mark.parametrize("table", [LINES, PARABOLAS], ids=["lines", "parabolas"])
def test_evaluator(table):
    index, offset = np.divmod(np.arange(table.intervals << table.offset_width), 1 << table.offset_width)
    expected = PolynomialTableReference(table)(index, offset)
    evaluator = PolynomialEvaluator(table)
    assert evaluator.latency == 2 + 2 * table.degree
    result = evaluate(evaluator, {"index": index, "offset": offset})["result"]
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("table", [LINES, PARABOLAS], ids=["lines", "parabolas"])
def test_reference_is_the_polynomial(table):
    index, offset = np.divmod(np.arange(table.intervals << table.offset_width), 1 << table.offset_width)
    result = PolynomialTableReference(table)(index, offset)
    np.testing.assert_array_equal(
        result, [table.evaluate(i, u) for i, u in zip(index.tolist(), offset.tolist(), strict=True)]
    )
    position = offset / (1 << table.offset_width)
    exact = sum(np.array(table.coefficients)[index, power] * position**power for power in range(table.degree + 1))
    assert (exact - result < 2).all() and (exact - result >= 0).all()


@pytest.mark.parametrize("degree", [1, 2])
def test_fit(degree):
    rows = fit_polynomials(
        lambda x, context: context.exp(x), start=0, end=1, intervals=5, degree=degree, fraction=30, first=1 << 30
    )
    assert len(rows) == 5 and {len(row) for row in rows} == {degree + 1} and rows[0][0] == 1 << 30
    offset = np.linspace(0, 1, 1000)
    worst = 0
    for index, row in enumerate(rows[1:], start=1):
        value = sum(coefficient * offset**power for power, coefficient in enumerate(row)) / 2**30
        worst = max(worst, np.abs(value - np.exp((index + offset) / 5)).max())
    # Chebyshev's bound: h^2 f'' / 16, or h^3 f''' / 192.
    bound = np.e * (0.2**2 / 16 if degree == 1 else 0.2**3 / 192)
    assert 0.8 * bound < worst < bound


@pytest.mark.parametrize("fraction_bits", [4, 5, 7, 10, 12, 13, 16, 20, 23])
def test_function_tables_stay_in_range(fraction_bits):
    """Results have the leading bits on which the units rely, and none is negative."""
    number_format = FloatFormat(exponent_bits=8, fraction_bits=fraction_bits)
    one = 1 << tables.result_fraction(number_format)
    limits = {
        tables.reciprocal_table: (one, 2 * one),
        tables.square_root_table: (one, 2 * one - 1),
        tables.reciprocal_square_root_table: (one, 2 * one),
        tables.exponential_table: (one, 2 * one - 1),
        tables.logarithm_table: (one // 2, 2 * one - 1),
        tables.logistic_table: (one - 2, 2 * one + 2),
    }
    for table, (low, high) in limits.items():
        smallest, largest = table(number_format).result_bounds
        assert low <= smallest and largest <= high, table.__name__


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"offset_width": 25}, "Offset width must be from 1 to 24, not 25"),
        ({"coefficients": ((1, 2),)}, "Number of intervals must be from 2 to 65536, not 1"),
        ({"coefficients": ((1,), (2,))}, "Number of coefficients must be from 2 to 3, not 1"),
        ({"coefficients": ((1, 2), (3, 4, 5))}, "Intervals must have 2 coefficients each, not 3"),
        ({"coefficients": ((1, 2), (3, 1 << 40))}, "Coefficient must be from .* to 1099511627775, not 1099511627776"),
    ],
)
def test_table_refuses(fields, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        PolynomialTable(**{"coefficients": ((0, 1), (2, 3)), "offset_width": 3} | fields)
