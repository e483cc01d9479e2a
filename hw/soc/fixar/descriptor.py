"""FIXAR, as export, simulator, boards and presets need it."""

from ..devices import DeviceDescriptor

__all__ = ["DEVICES"]

DEVICES = (
    DeviceDescriptor(
        name="fixar",
        description="fixed-point DDPG on adaptive array cores",
        component="rewardware.hw.soc.fixar.device:FixarSystem",
        configuration="rewardware.hw.soc.fixar.config:FixarConfig",
        default_preset="paper",
        board_presets=("ulx3s",),
    ),
)
