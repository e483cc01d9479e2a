"""Both halves of attention against their reference."""

import pytest

from rewardware.hw.cores.attention.attention_backward import AttentionBackward
from rewardware.hw.cores.attention.attention_forward import AttentionForward
from rewardware.hw.cores.attention.config import AttentionConfig
from rewardware.hw.cores.attention.weight_transposition import WeightTransposition
from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE
from rewardware.sim.cocotb import simulate

HALF = FloatLaneConfig(format=BINARY16, adder_depth=3, multiplier_depth=1)
BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=5, multiplier_depth=2)


def _config(agents, heads, key_size, value_size, arithmetic, parallel_heads=1):
    return AttentionConfig(
        agents=agents,
        heads=heads,
        key_size=key_size,
        value_size=value_size,
        arithmetic=arithmetic,
        waiting=3,
        parallel_heads=parallel_heads,
    )


CASES = pytest.mark.parametrize(
    "config",
    [
        _config(4, 2, 5, 5, BINARY32_LANE),
        # One other agent, one head: nothing is chosen.
        _config(2, 1, 9, 9, BINARY32_LANE),
        _config(8, 1, 2, 3, HALF),
        _config(3, 4, 1, 2, BRAIN),
        # Two heads of a lane follow each other.
        _config(5, 4, 3, 6, BRAIN, 2),
        # All heads at once are faster than their numbers come and go.
        _config(2, 3, 5, 7, HALF, 3),
    ],
    ids=["four agents", "two agents", "eight agents", "small heads", "two lanes", "a lane for each head"],
)


def _simulate(core, half, cycles, bench="tests.hw.cores.attention.bench_attention"):
    simulate(
        core,
        bench=bench,
        parameters={"config": core.config, "half": half, "cycles": cycles},
        after_noise=True,
    )


@CASES
def test_attention_forward(config):
    core = AttentionForward(config)
    _simulate(core, "forward", core.cycles)


@pytest.mark.parametrize("lanes", [1, 2])
def test_attention_forward_tells_of_infinities(lanes):
    core = AttentionForward(_config(4, 2, 3, 2, HALF, lanes))
    _simulate(core, "forward", core.cycles, "tests.hw.cores.attention.bench_attention_errors")


@CASES
def test_attention_backward(config):
    core = AttentionBackward(config)
    _simulate(core, "backward", core.cycles)


@pytest.mark.parametrize(("agents", "heads"), [(2, 1), (5, 3)])
def test_weight_transposition(agents, heads):
    config = _config(agents, heads, 1, 1, HALF)
    _simulate(WeightTransposition(config), "transposition", agents * heads * config.others)
