"""LearningGroup, as export, simulator, boards and presets need it."""

from ..devices import DeviceDescriptor

__all__ = ["DEVICES"]

DEVICES = (
    DeviceDescriptor(
        name="learninggroup",
        description="IC3Net with grouped weights in binary16",
        component="rewardware.hw.soc.learninggroup.device:LearningGroupSystem",
        configuration="rewardware.hw.soc.learninggroup.config:LearningGroupConfig",
        hardware="rewardware.hw.soc.learninggroup.hardware:LearningGroupHardware",
        default_preset="paper",
        board_presets=("ulx3s",),
    ),
)
