"""The loss of MAAC's policies against its reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE
from rewardware.hw.cores.learner.counterfactual_loss import CounterfactualLoss
from rewardware.sim.cocotb import simulate

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize(("count", "arithmetic"), [(5, BINARY32_LANE), (2, BRAIN)], ids=["five", "two"])
def test_counterfactual_loss(count, arithmetic):
    loss = CounterfactualLoss(arithmetic, count)
    simulate(
        loss,
        bench="tests.hw.cores.learner.bench_counterfactual_loss",
        parameters={"config": arithmetic, "count": count, "cycles": loss.cycles},
        after_noise=True,
    )


def test_a_single_action_is_refused():
    with pytest.raises(ValueError, match="^Count must be from 2 to 4096, not 1$"):
        CounterfactualLoss(BINARY32_LANE, 1)
