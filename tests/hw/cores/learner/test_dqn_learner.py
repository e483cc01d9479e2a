"""A whole learner of a DQN against its reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE, NetworkConfig
from rewardware.hw.cores.learner.dqn_learner import DQNLearner
from rewardware.hw.cores.learner.learner_config import DQNLearnerConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.mapping.layer_pipeline import learner_stage_cycles

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize(
    ("sizes", "units", "settings", "arithmetic"),
    [
        ((3, 7, 6, 3), (2, 4, 3), {}, BINARY32_LANE),
        ((5, 9, 2), (3, 1), {"loss": "squared", "optimizer": "sgd", "update_interval": 1}, BRAIN),
    ],
    ids=["adam", "descent"],
)
def test_dqn_learner(sizes, units, settings, arithmetic):
    config = DQNLearnerConfig(network=NetworkConfig(sizes=sizes, units=units, arithmetic=arithmetic), **settings)
    simulate(
        DQNLearner(config),
        bench="tests.hw.cores.learner.bench_dqn_learner",
        parameters={
            "config": config,
            "period": learner_stage_cycles(config),
            "limit": 20_000,
        },
    )
