"""A3C, as export, simulator, boards and presets need it."""

from ..devices import DeviceDescriptor

__all__ = ["DEVICES"]

DEVICES = (
    DeviceDescriptor(
        name="a3c",
        description="inference and training of asynchronous actor-critic agents",
        component="rewardware.hw.soc.a3c.device:A3CSystem",
        configuration="rewardware.hw.soc.a3c.config:A3CSystemConfig",
        board_presets=("ulx3s",),
    ),
)
