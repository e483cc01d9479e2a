"""The function units against their references."""

import numpy as np
import pytest

from rewardware.hw.cores.function.hyperbolic_tangent import HyperbolicTangent
from rewardware.hw.cores.function.interpolated_table import InterpolatedTable
from rewardware.hw.cores.function.reciprocal_square_root import ReciprocalSquareRoot
from rewardware.hw.cores.function.tables import InterpolationTable
from rewardware.sw.reference.function.hyperbolic_tangent import HyperbolicTangentReference
from rewardware.sw.reference.function.interpolated_table import InterpolatedTableReference
from rewardware.sw.reference.function.reciprocal_square_root import ReciprocalSquareRootReference
from tests.hw.cores.pipeline import check_pipeline


def test_hyperbolic_tangent():
    rng = np.random.default_rng(2)
    nodes = np.arange(0, 9 << 20, 1 << 13) + rng.integers(-1, 2, 1152)
    corners = np.array([0, 1, -1, (8 << 20) - 1, 8 << 20, (1 << 31) - 1, -(1 << 31), 1 - (1 << 31)])
    random = rng.integers(-(1 << 31), 1 << 31, 500)
    # These words have every magnitude, as most random words are beyond the table.
    scaled = rng.integers(-(1 << 31), 1 << 31, 4000) >> rng.integers(0, 31, 4000)
    values = np.concatenate([corners, nodes, -nodes, random, scaled])
    check_pipeline(HyperbolicTangent(), {"value": values}, {"result": HyperbolicTangentReference()(values)})


def test_reciprocal_square_root():
    rng = np.random.default_rng(3)
    powers = np.uint64(1) << np.arange(64, dtype=np.uint64)
    random = rng.integers(1, 1 << 64, 8000, dtype=np.uint64) >> rng.integers(0, 64, 8000, dtype=np.uint64)
    values = np.concatenate([powers, powers - np.uint64(1), powers * np.uint64(2) - np.uint64(1), random])
    values = values[values > 0]
    result, half_exponent = ReciprocalSquareRootReference()(values)
    expected = {"result": result, "half_exponent": half_exponent}
    check_pipeline(ReciprocalSquareRoot(), {"value": values}, expected)


@pytest.mark.parametrize(
    "table",
    [
        InterpolationTable(values=(5, 9, 2, 1000, 1023, 0), offset_width=4, guard_bits=1),
        InterpolationTable(values=tuple(7 * node * node for node in range(12)), offset_width=7),
    ],
    ids=["falling", "rising"],
)
def test_interpolated_table(table):
    index, offset = np.divmod(np.arange(table.intervals << table.offset_width), 1 << table.offset_width)
    expected = InterpolatedTableReference(table)(index, offset)
    check_pipeline(InterpolatedTable(table), {"index": index, "offset": offset}, {"result": expected})
