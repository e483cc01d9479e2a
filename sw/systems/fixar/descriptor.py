"""FIXAR, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="fixar",
    description="fixed-point DDPG on adaptive array cores",
    commands={
        "train": "rewardware.sw.systems.fixar.train_command",
        "experiment": "rewardware.sw.systems.fixar.experiment_command",
    },
    bench="rewardware.sw.systems.fixar.bench.figures:FixarBench",
    simulated_work="rewardware.sw.systems.fixar.bench.simulation:simulated_work",
    simulated_devices=("fixar",),
    agents={
        "ddpg": "rewardware.sw.systems.fixar.agent:FixarDDPG",
    },
)
