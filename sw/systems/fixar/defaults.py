"""Hyper-parameters of DDPG on FIXAR where nobody says otherwise."""

from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from ....hw.soc.fixar.config import FixarConfig
from ....hw.soc.presets import read_preset

__all__ = ["resolve_training"]


def resolve_training(hardware: FixarConfig | str | Path, env: str | None = None) -> dict[str, Any]:
    """Hyper-parameters that come with a preset or file, and over them those that suit an environment."""
    training = {} if isinstance(hardware, FixarConfig) else read_preset(hardware).training
    environments = yaml.safe_load(resources.files(__package__).joinpath("environments.yaml").read_text())
    return {**training, **environments.get(env, {})}
