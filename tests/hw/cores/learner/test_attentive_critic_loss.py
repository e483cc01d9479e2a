"""The loss of attentive critics against its reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE
from rewardware.hw.cores.learner.attentive_critic_loss import AttentiveCriticLoss
from rewardware.sim.cocotb import simulate

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize(("count", "arithmetic"), [(5, BINARY32_LANE), (2, BRAIN)], ids=["five", "two"])
def test_attentive_critic_loss(count, arithmetic):
    loss = AttentiveCriticLoss(arithmetic, count)
    simulate(
        loss,
        bench="tests.hw.cores.learner.bench_attentive_critic_loss",
        parameters={"config": arithmetic, "count": count, "cycles": loss.cycles},
        after_noise=True,
    )
