"""Softmax over the other agents, and its derivative, against their reference."""

import pytest

from rewardware.hw.cores.attention.config import AttentionConfig
from rewardware.hw.cores.attention.softmax import AttentionSoftmax
from rewardware.hw.cores.attention.softmax_derivative import AttentionSoftmaxDerivative
from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE
from rewardware.sim.cocotb import simulate

HALF = FloatLaneConfig(format=BINARY16, adder_depth=3, multiplier_depth=1)
BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=5, multiplier_depth=2)

CASES = pytest.mark.parametrize(
    ("agents", "key_size", "arithmetic"),
    [(4, 5, BINARY32_LANE), (2, 32, HALF), (8, 1, BRAIN)],
    ids=["four agents", "two agents", "eight agents"],
)


def _simulate(core, kind):
    simulate(
        core,
        bench="tests.hw.cores.attention.bench_softmax",
        parameters={"config": core.config, "kind": kind, "cycles": core.cycles},
        after_noise=True,
    )


@CASES
def test_softmax(agents, key_size, arithmetic):
    config = AttentionConfig(agents=agents, heads=1, key_size=key_size, value_size=1, arithmetic=arithmetic)
    _simulate(AttentionSoftmax(config), "softmax")


@CASES
def test_softmax_derivative(agents, key_size, arithmetic):
    config = AttentionConfig(agents=agents, heads=1, key_size=key_size, value_size=1, arithmetic=arithmetic)
    _simulate(AttentionSoftmaxDerivative(config), "derivative")
