"""The function tables against 64-bit and exact arithmetic."""

from math import isqrt

import numpy as np
import pytest

from rewardware.hw.cores.function.tables import (
    InterpolationTable,
    hyperbolic_tangent_table,
    reciprocal_square_root_table,
)
from rewardware.sw.reference.function.hyperbolic_tangent import HyperbolicTangentReference
from rewardware.sw.reference.function.interpolated_table import InterpolatedTableReference
from rewardware.sw.reference.function.reciprocal_square_root import ReciprocalSquareRootReference


def test_tanh_over_its_whole_domain():
    tanh = HyperbolicTangentReference()
    worst, last = 0.0, 0
    for start in range(0, 9 << 20, 1 << 18):
        words = np.arange(start, start + (1 << 18), dtype=np.int64)
        result = tanh(words)
        worst = max(worst, np.abs(result / 2.0**20 - np.tanh(words / 2.0**20)).max())
        assert result[0] >= last and (np.diff(result) >= 0).all()
        np.testing.assert_array_equal(tanh(-words), -result)
        last = result[-1]
    assert 6.0e-6 < worst < 6.9e-6


def test_tanh_of_corners():
    words = np.array([0, 1, -1, (8 << 20) - 1, 8 << 20, -(8 << 20), (1 << 31) - 1, -(1 << 31)])
    one = 1 << 20
    np.testing.assert_array_equal(HyperbolicTangentReference()(words), [0, 1, -1, one, one, -one, one, -one])


def test_tanh_table_is_the_rounded_function():
    values = np.array(hyperbolic_tangent_table().values)
    np.testing.assert_array_equal(values, np.floor(np.tanh(np.arange(1025) / 128) * 2.0**21 + 0.5))


def test_reciprocal_square_root_error():
    rng = np.random.default_rng(1)
    exponents = rng.integers(0, 64, 400_000).astype(np.uint64)
    low = np.uint64(1) << exponents
    values = low + rng.integers(0, 1 << 63, low.size, dtype=np.uint64) % low
    mantissas, half_exponents = ReciprocalSquareRootReference()(values)
    assert mantissas.min() >= 1 << 24 and mantissas.max() <= 1 << 25
    roots = np.ldexp(mantissas.astype(np.float64), -24 - half_exponents.astype(np.int32))
    relative = np.abs(roots * np.sqrt(values.astype(np.float64)) - 1)
    assert 2.2e-5 < relative.max() < 2.4e-5


@pytest.mark.parametrize("value", [1, 2, 3, 4, (1 << 62) - 1, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
def test_reciprocal_square_root_normalises(value):
    mantissa, half_exponent = ReciprocalSquareRootReference()(np.array([value], dtype=np.uint64))
    zeros = 64 - value.bit_length() & ~1
    assert half_exponent[0] == (64 - zeros) // 2
    top = value << zeros >> 40
    table = reciprocal_square_root_table()
    low, high = (table.values[(top >> 16) - 64 + step] for step in (0, 1))
    assert mantissa[0] == ((low << 16) + (high - low) * (top & 0xFFFF) + (1 << 15)) >> 16


def test_reciprocal_square_root_table_is_the_rounded_function():
    for node, value in enumerate(reciprocal_square_root_table().values, start=64):
        # 2^24 * sqrt(256 / node) rounded, from a root with 20 more bits.
        finer = isqrt((1 << 48 + 40) * 256 // node)
        assert value == (finer + (1 << 19)) >> 20


def test_interpolation_is_exact():
    table = InterpolationTable(values=(5, 9, 2, 1000), offset_width=4, guard_bits=1)
    assert (table.base_width, table.difference_width, table.falls, table.shift) == (10, 11, True, 5)
    index, offset = np.divmod(np.arange(48), 16)
    expected = [
        (table.values[i] * 16 + (table.values[i + 1] - table.values[i]) * o + 16) // 32
        for i, o in zip(index.tolist(), offset.tolist(), strict=True)
    ]
    np.testing.assert_array_equal(InterpolatedTableReference(table)(index, offset), expected)


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"offset_width": 0}, "Offset width must be from 1 to 24, not 0"),
        ({"guard_bits": 17}, "Guard bits must be from 0 to 16, not 17"),
        ({"values": (1, 2)}, "Number of values must be from 3 to 65537, not 2"),
        ({"values": (1, -2, 3)}, "Value must be from 0 to 1099511627775, not -2"),
    ],
)
def test_table_refuses(fields, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        InterpolationTable(**{"values": (0, 1, 2), "offset_width": 3} | fields)
