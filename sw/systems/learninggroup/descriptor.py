"""LearningGroup, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="learninggroup",
    description="IC3Net with grouped weights in binary16",
    commands={
        "train": "rewardware.sw.systems.learninggroup.train_command",
        "experiment": "rewardware.sw.systems.learninggroup.experiment_command",
    },
    bench="rewardware.sw.systems.learninggroup.bench.figures:LearningGroupBench",
    simulated_work="rewardware.sw.systems.learninggroup.bench.simulation:simulated_work",
    simulated_devices=("learninggroup",),
    agents={
        "ic3net": "rewardware.sw.systems.learninggroup.agent:IC3Net",
    },
)
