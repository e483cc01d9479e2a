"""The loss-gradient unit against its reference."""

import pytest

from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.hw.cores.a3c.loss_gradient_unit import LossGradientUnit
from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.sim.cocotb import simulate

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize(
    "config",
    [A3CConfig(), A3CConfig(sizes=(3, 2), actions=2, width=2, arithmetic=BRAIN), A3CConfig(actions=7)],
    ids=["paper", "two", "seven"],
)
def test_loss_gradient_unit(config):
    unit = LossGradientUnit(config)
    simulate(
        unit,
        bench="tests.hw.cores.a3c.bench_loss_gradient_unit",
        parameters={"config": config, "cycles": unit.cycles},
        after_noise=True,
    )
