"""Comparator: equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.float.comparison import FloatComparator
from rewardware.sw.reference.float.comparison import compare, maximum, minimum

from .check import check
from .formats import FORMATS, any_depth, corner_formats, every_depth
from .operands import all_tuples, anything, corners, join, near_opposites, pairs


def column(number_format, a, b):
    less, equal, unordered = compare(number_format, a, b)
    assert less.any() and equal.any() and unordered.any()
    expected = {
        "less": less,
        "equal": equal,
        "unordered": unordered,
        "minimum": minimum(number_format, a, b),
        "maximum": maximum(number_format, a, b),
    }
    return {"a": a, "b": b}, expected


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_every_depth(number_format):
    rng = np.random.default_rng(1)
    values = anything(rng, number_format, 100_000)
    a, b = join(pairs(corners(number_format)), (values, near_opposites(rng, number_format, values)))
    configs = every_depth(number_format)
    check(FloatComparator, configs, [column(number_format, a, b)] * len(configs))


def test_corner_formats():
    """All pairs of short formats."""
    rng = np.random.default_rng(3)
    configs = any_depth(corner_formats((2, 1), (3, 5)))
    columns = []
    for config in configs:
        values = rng.choice(corners(config.format), 100_000)
        operands = all_tuples(config.format, 2) or (values, near_opposites(rng, config.format, values))
        columns.append(column(config.format, *operands))
    check(FloatComparator, configs, columns)
