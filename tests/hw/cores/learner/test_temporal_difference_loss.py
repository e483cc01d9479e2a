"""The temporal-difference loss against its reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE
from rewardware.hw.cores.learner.temporal_difference_config import TemporalDifferenceConfig
from rewardware.hw.cores.learner.temporal_difference_loss import TemporalDifferenceLoss
from rewardware.sim.cocotb import simulate

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize(
    ("values", "loss", "arithmetic"),
    [(3, "huber", BINARY32_LANE), (1, "huber", BRAIN), (5, "squared", BRAIN)],
    ids=["three", "one", "squared"],
)
def test_temporal_difference_loss(values, loss, arithmetic):
    config = TemporalDifferenceConfig(values=values, loss=loss, arithmetic=arithmetic)
    stage = TemporalDifferenceLoss(config)
    simulate(
        stage,
        bench="tests.hw.cores.learner.bench_temporal_difference_loss",
        parameters={"config": config, "latency": stage.latency},
        after_noise=True,
    )
