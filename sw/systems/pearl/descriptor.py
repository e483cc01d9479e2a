"""PEARL, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="pearl",
    description="prioritised replay and learners on chip: DQN, DDPG, SAC",
    commands={
        "train": "rewardware.sw.systems.pearl.train_command",
        "experiment": "rewardware.sw.systems.pearl.experiment_command",
    },
    bench="rewardware.sw.systems.pearl.bench.figures:PearlBench",
    simulated_work="rewardware.sw.systems.pearl.bench.simulation:simulated_work",
    simulated_devices=("pearl", "pearl_learner", "pearl_ddpg_learner"),
    agents={
        "prioritized-ddpg": "rewardware.sw.systems.pearl.ddpg:DDPG",
        "prioritized-dqn": "rewardware.sw.systems.pearl.dqn:DQN",
        "prioritized-sac": "rewardware.sw.systems.pearl.sac:SAC",
    },
)
