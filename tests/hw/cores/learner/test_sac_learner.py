"""A whole learner of soft actor-critic against its reference."""

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.learner.sac_learner import SACLearner
from rewardware.hw.cores.learner.sac_learner_config import SACLearnerConfig
from rewardware.sim.cocotb import simulate
from rewardware.sw.mapping.layer_pipeline import learner_stage_cycles

BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=3, multiplier_depth=1)


def test_sac_learner():
    """With Adam, on networks of different depths."""
    actor = NetworkConfig(sizes=(3, 5, 4), units=(3, 1), arithmetic=BRAIN)
    critic = NetworkConfig(sizes=(5, 4, 3, 1), units=(2, 3, 1), arithmetic=BRAIN)
    config = SACLearnerConfig(actor=actor, critic=critic)
    simulate(
        SACLearner(config),
        bench="tests.hw.cores.learner.bench_sac_learner",
        parameters={"config": config, "period": learner_stage_cycles(config), "limit": 20_000},
    )
