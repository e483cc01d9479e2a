"""MAAC, as the command line needs it."""

from ..descriptor import SystemDescriptor

__all__ = ["SYSTEM"]

SYSTEM = SystemDescriptor(
    name="maac",
    description="actors with attentive critics, and updates of these on chip",
    commands={"train": "rewardware.sw.systems.maac.train_command"},
    agents={"maac": "rewardware.sw.systems.maac.agent:MAAC"},
)
