"""PEARL: replay manager and learners, as export, simulator, boards and presets need it."""

from ..devices import DeviceDescriptor

__all__ = ["DEVICES"]

DEVICES = (
    DeviceDescriptor(
        name="pearl",
        description="prioritised replay with the sum tree on chip",
        component="rewardware.hw.soc.pearl.device:PearlSystem",
        configuration="rewardware.hw.soc.pearl.config:PearlConfig",
        board_presets=("ulx3s", "small"),
    ),
    DeviceDescriptor(
        name="pearl_learner",
        description="gradient steps of a DQN, layer after layer in a pipeline",
        component="rewardware.hw.soc.learner.device:LearnerSystem",
        configuration="rewardware.hw.soc.pearl.dqn_learner_config:PearlDQNLearnerConfig",
        board_presets=("ulx3s",),
    ),
    DeviceDescriptor(
        name="pearl_ddpg_learner",
        description="gradient steps of DDPG, layer after layer in a pipeline",
        component="rewardware.hw.soc.learner.device:LearnerSystem",
        configuration="rewardware.hw.soc.pearl.ddpg_learner_config:PearlDDPGLearnerConfig",
    ),
    DeviceDescriptor(
        name="pearl_sac_learner",
        description="gradient steps of soft actor-critic, layer after layer in a pipeline",
        component="rewardware.hw.soc.learner.device:LearnerSystem",
        configuration="rewardware.hw.soc.pearl.sac_learner_config:PearlSACLearnerConfig",
    ),
)
