"""The tables of a visit count against decimal numbers of 30 digits, for every count."""

from decimal import Context, Decimal, localcontext

import pytest

from rewardware.hw.cores.tree import functions

COUNTS = range(1, 1 << 16)


def position(count, index_width):
    """Exponent of a count, interval within its octave and position within the interval."""
    exponent = count.bit_length() - 1
    mantissa = (count << functions.MANTISSA_WIDTH - exponent) & (1 << functions.MANTISSA_WIDTH) - 1
    offset_width = functions.MANTISSA_WIDTH - index_width
    return exponent, mantissa >> offset_width, mantissa & (1 << offset_width) - 1


def reciprocal(count):
    exponent, index, offset = position(count, functions.ROOT_INDEX_WIDTH)
    exact = Decimal(1 << functions.RECIPROCAL_FRACTION + exponent) / count
    return functions.reciprocal_table().evaluate(index, offset), exact


def of_root(table, count):
    exponent, index, offset = position(count, functions.ROOT_INDEX_WIDTH)
    return table().evaluate(index + (exponent % 2 << functions.ROOT_INDEX_WIDTH), offset)


def reciprocal_root(count):
    exact = Decimal(1 << functions.RECIPROCAL_ROOT_FRACTION + (count.bit_length() - 1) // 2) / Decimal(count).sqrt()
    return of_root(functions.reciprocal_root_table, count), exact


def root(count):
    exact = Decimal(count).sqrt() * (1 << functions.ROOT_FRACTION) / (1 << (count.bit_length() - 1) // 2)
    return of_root(functions.root_table, count), exact


def logarithm_root(count):
    exponent, index, offset = position(count, functions.LOGARITHM_INDEX_WIDTH)
    result = functions.logarithm_root_table().evaluate((exponent << functions.LOGARITHM_INDEX_WIDTH) + index, offset)
    return result, Decimal(count).ln().sqrt() * (1 << functions.ROOT_FRACTION)


@pytest.mark.parametrize(
    ("function", "bound"), [(reciprocal, "1.5"), (reciprocal_root, "1.5"), (root, "1.4"), (logarithm_root, "1.8")]
)
def test_error(function, bound):
    with localcontext(Context(prec=30)):
        worst = max(abs(result - exact) for result, exact in map(function, COUNTS))
        # The bound is met and not much too wide.
        assert Decimal(bound) - Decimal("0.11") < worst < Decimal(bound)


def test_exact_at_powers_of_two():
    for exponent in range(16):
        assert reciprocal(1 << exponent)[0] == 1 << functions.RECIPROCAL_FRACTION
        if exponent % 2 == 0:
            assert reciprocal_root(1 << exponent)[0] == 1 << functions.RECIPROCAL_ROOT_FRACTION
            assert root(1 << exponent)[0] == 1 << functions.ROOT_FRACTION


def test_small_logarithms_are_the_nearest():
    with localcontext(Context(prec=30)):
        for count in range(1, 64):
            result, exact = logarithm_root(count)
            assert abs(result - exact) <= Decimal("0.5")
    assert logarithm_root(1)[0] == 0


def test_widths():
    """The tables' results fit the gateware's words."""
    assert functions.reciprocal_table().result_bounds[1] == 1 << 18
    assert functions.reciprocal_root_table().result_bounds[1] == 1 << 17
    assert functions.root_table().result_bounds[1] < 1 << 17
    assert functions.logarithm_root_table().result_bounds[1] < 1 << 18
    tables = (functions.reciprocal_table, functions.reciprocal_root_table, functions.root_table)
    assert [table().intervals for table in (*tables, functions.logarithm_root_table)] == [256, 512, 512, 512]
