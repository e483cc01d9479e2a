"""From what a user says to the accelerator's configuration."""

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from ...hw.soc.fixar.config import FixarConfig
from ...hw.soc.presets import load_preset, read_preset

__all__ = ["resolve_hardware", "resolve_training"]


def resolve_hardware(hardware: FixarConfig | Mapping | str | Path) -> FixarConfig:
    """The configuration: itself, or from a preset's name, a YAML file's path, or the mapping of its fields."""
    if isinstance(hardware, FixarConfig):
        return hardware
    if isinstance(hardware, Mapping):
        return FixarConfig(**hardware)
    return load_preset(hardware)


def resolve_training(name_or_path: str | Path, env: str | None = None) -> tuple[FixarConfig, dict[str, Any]]:
    """The configuration of a preset or file, and hyper-parameters: the file's, over them those of the environment."""
    preset = read_preset(name_or_path)
    environments = yaml.safe_load(resources.files(__package__).joinpath("environments.yaml").read_text())
    return preset.config, {**preset.training, **environments.get(env, {})}
