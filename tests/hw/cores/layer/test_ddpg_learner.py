"""A whole learner of DDPG against its reference."""

import pytest

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import DDPGLearnerConfig, NetworkConfig
from rewardware.hw.cores.layer.ddpg_learner import DDPGLearner
from rewardware.sim.cocotb import simulate
from rewardware.sw.mapping.layer_pipeline import learner_stage_cycles

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize(
    ("actor", "critic", "settings"),
    [
        # As many layers in both would hide where one is meant for the other.
        (((3, 6, 5, 2), (2, 3, 1)), ((5, 7, 1), (3, 1)), {}),
        (((2, 7, 1), (3, 1)), ((3, 5, 1), (2, 1)), {"loss": "huber", "optimizer": "sgd", "update_interval": 1}),
    ],
    ids=["adam", "descent"],
)
def test_ddpg_learner(actor, critic, settings):
    """In binary32, ``rewardware bench pearl --only learner_cycles_ddpg`` compares all numbers."""
    actor, critic = (
        NetworkConfig(sizes=sizes, units=units, output_activation=output, arithmetic=BRAIN)
        for (sizes, units), output in ((actor, "tanh"), (critic, "linear"))
    )
    config = DDPGLearnerConfig(actor=actor, critic=critic, **settings)
    simulate(
        DDPGLearner(config),
        bench="tests.hw.cores.layer.bench_ddpg_learner",
        parameters={
            "config": config,
            "period": learner_stage_cycles(config),
            "limit": 20_000,
        },
    )
