"""From what a user says to the accelerator's configuration."""

from collections.abc import Mapping
from typing import Any

from ...hw.soc.devices import find_device
from ...hw.soc.presets import read_preset

__all__ = ["resolve_hardware"]


def resolve_hardware(hardware: Any, system: str = "fixar") -> Any:
    """Configuration of a device: itself, or by a preset's name, a YAML file's path, or the mapping of its fields."""
    device = find_device(system)
    configuration, whole = device.configuration_class, device.hardware_class
    if isinstance(hardware, whole):
        return hardware
    if isinstance(hardware, Mapping):
        inner = {"device": configuration(**hardware["device"])} if whole is not configuration else {}
        return whole(**{**hardware, **inner})
    return read_preset(hardware, system).hardware
