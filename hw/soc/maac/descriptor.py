"""MAAC, as export, simulator, boards and presets need it."""

from ..devices import DeviceDescriptor

__all__ = ["DEVICES"]

DEVICES = (
    DeviceDescriptor(
        name="maac",
        description="updates of attentive critics of several agents",
        component="rewardware.hw.soc.learner.device:LearnerSystem",
        configuration="rewardware.hw.soc.maac.config:MAACSystemConfig",
        board_presets=("ulx3s",),
    ),
)
