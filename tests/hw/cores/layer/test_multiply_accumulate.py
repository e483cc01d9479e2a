"""The multiply-accumulate unit against the operations of its docstring."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32, FloatLaneConfig
from rewardware.hw.cores.layer.multiply_accumulate import MultiplyAccumulate
from rewardware.sim.harness.vectors import evaluate
from rewardware.sw.reference.float.arithmetic import add, multiply

from ..float.operands import aligned, anything, near_opposites, near_ties, short
from ..vector.stimulus import corners, mixed

RARE, NEAR = (short, anything), (aligned, near_opposites, near_ties)


@pytest.mark.parametrize(
    "config",
    [
        FloatLaneConfig(format=BINARY32, adder_depth=4, multiplier_depth=5),
        FloatLaneConfig(format=BINARY16, adder_depth=1, multiplier_depth=1),
        FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=2),
    ],
    ids=lambda config: str(config.format),
)
def test_equals_reference(config):
    number_format, depth = config.format, config.adder_depth
    rng = np.random.default_rng(depth)
    # Every corner by every corner as a first product, then sums.
    left, right = (column.ravel() for column in np.meshgrid(corners(number_format), corners(number_format)))
    count = len(left) + 12000
    a, b, usual = (
        _of_each(rng, mixed(rng, number_format, count, 0.05), *(kind(rng, number_format, count) for kind in RARE))
        for _ in range(3)
    )
    a[: len(left)], b[: len(left)] = left, right
    clear = rng.random(count) < 0.2
    clear[: len(left)] = True
    products = multiply(number_format, a, b)
    # Some of the sums before are at any distance of the product, about opposite to it, or half of its last place.
    sums = _of_each(rng, usual, *(kind(rng, number_format, products) for kind in NEAR))
    expected = np.where(clear, add(number_format, products, number_format.sign_bit), add(number_format, sums, products))
    unit = MultiplyAccumulate(config)
    late = {
        name: np.concatenate([np.zeros(config.multiplier_depth, np.int64), column])[:count]
        for name, column in (("accumulator_in", sums), ("clear", clear))
    }
    got = evaluate(unit, {"a": a, "b": b, **late})["result"]
    checked = count - config.multiplier_depth
    assert unit.latency == depth + config.multiplier_depth
    assert (got[:checked] == expected[:checked]).all()
    # A first product is what it is.
    assert (expected[clear] == products[clear]).all()


def _of_each(rng, *columns):
    """A column whose rows are of one or another."""
    return np.choose(rng.integers(0, len(columns), len(columns[0])), columns)
