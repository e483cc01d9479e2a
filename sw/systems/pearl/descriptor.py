"""PEARL, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="pearl",
    description="prioritised replay and learners on chip: DQN, DDPG, SAC",
    commands={
        "train": "rewardware.sw.cli.train_pearl",
        "experiment": "rewardware.sw.cli.experiment_pearl",
    },
    bench="rewardware.sw.systems.pearl.bench.figures:PearlBench",
    agents={
        "dqn": "rewardware.sw.systems.pearl.dqn:DQN",
        "parallel-ddpg": "rewardware.sw.systems.pearl.parallel_actor_critic:ParallelDDPG",
        "parallel-dqn": "rewardware.sw.systems.pearl.parallel_dqn:ParallelDQN",
        "parallel-sac": "rewardware.sw.systems.pearl.parallel_actor_critic:ParallelSAC",
    },
)
