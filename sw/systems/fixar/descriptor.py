"""FIXAR, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="fixar",
    description="fixed-point DDPG on adaptive array cores",
    commands={
        "train": "rewardware.sw.cli.train_fixar",
        "experiment": "rewardware.sw.cli.experiment_fixar",
    },
    bench="rewardware.sw.systems.fixar.bench.figures:FixarBench",
    agents={
        "ddpg": "rewardware.sw.systems.fixar.agent:DDPG",
    },
)
