"""DYNAMAP, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="dynamap",
    description="convolutional networks on one systolic array, an algorithm for each layer",
    commands={
        "train": "rewardware.sw.systems.dynamap.train_command",
        "experiment": "rewardware.sw.systems.dynamap.experiment_command",
    },
    bench="rewardware.sw.systems.dynamap.bench.figures:DynamapBench",
    inference="rewardware.sw.systems.dynamap.backends:network_on",
    agents={"dagger": "rewardware.sw.systems.dynamap.agent:Dagger"},
)
