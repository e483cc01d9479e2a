"""The loss-gradient unit against its reference."""

import pytest

from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.hw.cores.a3c.loss_gradient_unit import DiscountedReturn, LossGradientUnit
from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE
from rewardware.sim.cocotb import simulate
from tests.hw.cores.side_by_side import SideBySide

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


def test_discounted_return():
    configs = {"binary32": BINARY32_LANE, "bfloat16": BRAIN}
    units = {name: DiscountedReturn(config) for name, config in configs.items()}
    simulate(
        SideBySide(units),
        bench="tests.hw.cores.a3c.bench_discounted_return",
        parameters={"units": configs, "cycles": {name: unit.cycles for name, unit in units.items()}},
        after_noise=True,
    )
