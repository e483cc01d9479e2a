"""A3C, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="a3c",
    description="asynchronous advantage actor-critic: many agents that share engines",
    commands={
        "train": "rewardware.sw.systems.a3c.train_command",
        "experiment": "rewardware.sw.systems.a3c.experiment_command",
        "explore": "rewardware.sw.systems.a3c.explore_command",
    },
    bench="rewardware.sw.systems.a3c.bench.figures:A3CBench",
    agents={"a3c": "rewardware.sw.systems.a3c.agent:A3C"},
)
