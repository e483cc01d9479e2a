"""MAAC, as the command line needs it. It has no device yet, hence neither bench nor experiments on one."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="maac",
    description="actors with attentive critics, without a device so far",
    commands={"train": "rewardware.sw.systems.maac.train_command"},
    agents={"maac": "rewardware.sw.systems.maac.agent:MAAC"},
)
