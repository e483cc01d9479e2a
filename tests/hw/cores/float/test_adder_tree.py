"""Trees of adders against the reference of their order."""

import numpy as np
import pytest

from rewardware.hw.cores.float.adder_tree import FloatAdderTree
from rewardware.hw.cores.float.adder_tree_config import FloatAdderTreeConfig
from rewardware.hw.cores.float.config import BFLOAT16, BINARY16
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.float import host
from rewardware.sw.reference.float.sums import tree_sum

from ..bench_play import Expected
from ..vector.stimulus import mixed
from .operands import aligned, near_opposites, near_ties


@pytest.mark.parametrize(
    ("config", "levels"),
    [
        (FloatAdderTreeConfig(terms=7, format=BINARY16, depth=3), 3),
        (FloatAdderTreeConfig(terms=5, format=BFLOAT16.flushing(), depth=1), 3),
        (FloatAdderTreeConfig(terms=2, format=BINARY16, depth=4), 1),
    ],
    ids=["seven", "five", "two"],
)
def test_equals_reference(config, levels):
    number_format = config.format
    rng = np.random.default_rng(config.terms)
    values = mixed(rng, number_format, (2400, config.terms), 0.02)
    # In half of the rows two terms alone, which meet in any adder: little is left, a tie, or any overlap.
    for index, hard in enumerate((near_opposites, near_ties, aligned, aligned)):
        rows = np.arange(1200 + 300 * index, 1500 + 300 * index)
        left, distance = rng.integers(0, config.terms, 300), rng.integers(1, config.terms, 300)
        alone = values[rows, left]
        values[rows] = 0
        values[rows, left] = alone
        values[rows, (left + distance) % config.terms] = hard(rng, number_format, alone)
    tree = FloatAdderTree(config)
    assert tree.latency == levels * config.depth
    expected = host.to_bits(number_format, tree_sum(number_format, host.from_bits(number_format, values)))
    simulate(
        tree,
        bench="tests.hw.cores.bench_play",
        parameters={"inputs": {"terms": values}, "outputs": {"result": Expected(expected, tree.latency)}},
        after_noise=True,
    )


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"terms": 0}, ValueError, "Terms must be from 1 to 4096, not 0"),
        ({"terms": 2, "depth": 8}, ValueError, "Depth must be from 0 to 7, not 8"),
        ({"terms": 2, "format": 16}, TypeError, "Format must be a FloatFormat or a name, not 16"),
    ],
)
def test_refuses(settings, error, message):
    with pytest.raises(error, match=f"^{message}$"):
        FloatAdderTreeConfig(**settings)
