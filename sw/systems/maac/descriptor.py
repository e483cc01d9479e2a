"""MAAC, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="maac",
    description="actors with attentive critics, and updates of these on chip",
    commands={
        "train": "rewardware.sw.systems.maac.train_command",
        "experiment": "rewardware.sw.systems.maac.experiment_command",
        "explore": "rewardware.sw.systems.maac.explore_command",
    },
    bench="rewardware.sw.systems.maac.bench.figures:MAACBench",
    agents={"maac": "rewardware.sw.systems.maac.agent:MAAC"},
)
