"""DYNAMAP, as export, simulator, boards and presets need it."""

from ..devices import DeviceDescriptor

__all__ = ["DEVICES"]

DEVICES = (
    DeviceDescriptor(
        name="dynamap",
        description="convolutional networks on a systolic array, an algorithm for each layer",
        component="rewardware.hw.soc.dynamap.device:DynamapSystem",
        configuration="rewardware.hw.soc.dynamap.config:DynamapConfig",
        board_presets=("ulx3s",),
    ),
)
