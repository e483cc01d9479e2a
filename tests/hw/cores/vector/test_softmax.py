"""The softmax unit against its reference."""

import pytest

from rewardware.hw.cores.vector.softmax_config import SoftmaxConfig
from rewardware.hw.cores.vector.softmax_unit import SoftmaxUnit
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(
    "config",
    [
        SoftmaxConfig(choices=5, lanes=4),
        SoftmaxConfig(choices=7, lanes=12, blocks=2, adder_depth=2, multiplier_depth=4),
        SoftmaxConfig(choices=3, lanes=64, blocks=1, adder_depth=1),
    ],
    ids=["four blocks", "two blocks", "many lanes to draw for"],
)
def test_softmax_unit(config):
    unit = SoftmaxUnit(config)
    latencies = {
        (choices, blocks): unit.latency(choices, blocks)
        for choices in range(2, config.choices + 1)
        for blocks in range(1, config.blocks + 1)
    }
    simulate(
        unit,
        bench="tests.hw.cores.vector.bench_softmax",
        parameters={"config": config, "latencies": latencies},
        after_noise=True,
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"choices": 1}, "Choices must be from 2 to 64, not 1"),
        ({"lanes": 6}, r"Lanes must be a multiple of the numbers drawn in a cycle \(4\), not 6"),
        ({"format": "bfloat16"}, "Precision of the format must be from 11 to 24, not 8"),
    ],
)
def test_configuration(settings, words):
    with pytest.raises(ValueError, match=words):
        SoftmaxConfig(**settings)
