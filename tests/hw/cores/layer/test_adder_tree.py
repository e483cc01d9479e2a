"""Trees of adders against the reference of their order."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.adder_tree import AdderTree
from rewardware.hw.cores.layer.config import AdderTreeConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.float import host
from rewardware.sw.reference.layer.sums import tree_sum

from ..bench_play import Expected
from ..vector.stimulus import mixed


@pytest.mark.parametrize(
    ("terms", "levels", "arithmetic"),
    [
        (7, 3, FloatLaneConfig(format=BINARY16, adder_depth=3)),
        (5, 3, FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=1)),
        (2, 1, FloatLaneConfig(format=BINARY16, adder_depth=4)),
    ],
    ids=["seven", "five", "two"],
)
def test_equals_reference(terms, levels, arithmetic):
    number_format = arithmetic.format
    values = mixed(np.random.default_rng(terms), number_format, (600, terms), 0.02)
    config = AdderTreeConfig(terms=terms, arithmetic=arithmetic)
    tree = AdderTree(config)
    assert tree.latency == levels * arithmetic.adder_depth
    expected = host.to_bits(number_format, tree_sum(number_format, host.from_bits(number_format, values)))
    simulate(
        tree,
        bench="tests.hw.cores.bench_play",
        parameters={"inputs": {"terms": values}, "outputs": {"result": Expected(expected, tree.latency)}},
    )


def test_bad_configuration():
    with pytest.raises(ValueError, match="^Terms must be from 1 to 4096, not 0$"):
        AdderTreeConfig(terms=0)
    with pytest.raises(TypeError, match="^Arithmetic must be of the kind FloatLaneConfig, not "):
        AdderTreeConfig(terms=2, arithmetic=BINARY16)
