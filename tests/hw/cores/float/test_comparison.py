"""Comparator: equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.float.comparison import FloatComparator
from rewardware.hw.cores.float.config import FloatConfig
from rewardware.sw.reference.float.comparison import compare, maximum, minimum

from .check import FORMATS, check
from .operands import anything, corners, near_opposites, pairs


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_every_depth(number_format):
    rng = np.random.default_rng(1)
    values = anything(rng, number_format, 100_000)
    others = near_opposites(rng, number_format, values)
    a, b = (np.concatenate(columns) for columns in zip(pairs(corners(number_format)), (values, others), strict=True))
    less, equal, unordered = compare(number_format, a, b)
    assert less.any() and equal.any() and unordered.any()
    check(
        FloatComparator,
        FloatConfig,
        {"format": number_format},
        {"a": a, "b": b},
        {
            "less": less,
            "equal": equal,
            "unordered": unordered,
            "minimum": minimum(number_format, a, b),
            "maximum": maximum(number_format, a, b),
        },
    )
