"""The loss of a DQN against its reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE, NetworkConfig
from rewardware.hw.cores.layer.dqn_loss import DQNLoss
from rewardware.hw.cores.layer.learner_config import DQNLearnerConfig
from rewardware.sim.cocotb import simulate

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize(
    ("actions", "loss", "arithmetic"),
    [(3, "huber", BINARY32_LANE), (1, "huber", BRAIN), (5, "squared", BRAIN)],
    ids=["three", "one", "squared"],
)
def test_dqn_loss(actions, loss, arithmetic):
    network = NetworkConfig(sizes=(1, actions), units=(1,), arithmetic=arithmetic)
    config = DQNLearnerConfig(network=network, loss=loss)
    stage = DQNLoss(config)
    simulate(
        stage,
        bench="tests.hw.cores.layer.bench_dqn_loss",
        parameters={"config": config, "latency": stage.latency},
    )
