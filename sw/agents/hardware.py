"""From what a user says to the accelerator's configuration."""

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from ...hw.soc.devices import find_device
from ...hw.soc.fixar.config import FixarConfig
from ...hw.soc.presets import read_preset

__all__ = ["resolve_hardware", "resolve_training"]


def resolve_hardware(hardware: Any, system: str = "fixar") -> Any:
    """What a device is built from: itself, or by a preset's name, a YAML file's path, or the mapping of its fields."""
    device = find_device(system)
    configuration, whole = device.configuration_class, device.hardware_class
    if isinstance(hardware, whole):
        return hardware
    if isinstance(hardware, Mapping):
        inner = {"device": configuration(**hardware["device"])} if whole is not configuration else {}
        return whole(**{**hardware, **inner})
    return read_preset(hardware, system).hardware


def resolve_training(hardware: FixarConfig | str | Path, env: str | None = None) -> dict[str, Any]:
    """Hyper-parameters that come with a preset or file, and over them those that suit an environment."""
    training = {} if isinstance(hardware, FixarConfig) else read_preset(hardware).training
    environments = yaml.safe_load(resources.files(__package__).joinpath("environments.yaml").read_text())
    return {**training, **environments.get(env, {})}
