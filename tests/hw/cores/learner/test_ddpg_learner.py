"""A whole learner of DDPG against its reference."""

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.learner.ddpg_learner import DDPGLearner
from rewardware.hw.cores.learner.learner_config import DDPGLearnerConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.mapping.layer_pipeline import learner_stage_cycles

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


def test_ddpg_learner():
    """With Adam; tests of ``rewardware bench pearl`` have gradient descent, on a learner without stalls."""
    # As many layers in both would hide where one is meant for the other. The critic has more of them: the actor's
    # activations wait for it longer than for their own way back, and a sample must not take longer for that.
    actor = NetworkConfig(sizes=(3, 6, 2), units=(4, 2), output_activation="tanh", arithmetic=BRAIN)
    critic = NetworkConfig(sizes=(5, 7, 6, 5, 1), units=(4, 6, 5, 1), arithmetic=BRAIN)
    config = DDPGLearnerConfig(actor=actor, critic=critic)
    simulate(
        DDPGLearner(config),
        bench="tests.hw.cores.learner.bench_ddpg_learner",
        parameters={"config": config, "period": learner_stage_cycles(config), "limit": 20_000},
    )
