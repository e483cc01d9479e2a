"""Presets: named configurations in YAML. No Amaranth here."""

from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

import yaml

from ..fixar.config import FixarConfig

__all__ = ["Preset", "list_presets", "load_preset", "read_preset"]

SECTIONS = ("name", "system", "hardware", "training")


@dataclass(frozen=True)
class Preset:
    """What a file holds.

    Parameters
    ----------
    config : FixarConfig
    training : dict
        Defaults of hyper-parameters for this configuration, as the agent names them.
    """

    config: FixarConfig
    training: dict = field(default_factory=dict)


def list_presets():
    """Names of the presets that come with the package."""
    return sorted(entry.name.removesuffix(".yaml") for entry in folder().iterdir() if entry.name.endswith(".yaml"))


def load_preset(name_or_path):
    """Configuration of a preset, or of a YAML file.

    Raises
    ------
    ValueError
        There is no such preset or file, or it holds what no configuration has; the message names it.
    """
    return read_preset(name_or_path).config


def read_preset(name_or_path):
    """:class:`Preset` of that name or file."""
    source = str(name_or_path)
    if source in list_presets():
        text = (folder() / f"{source}.yaml").read_text(encoding="utf-8")
    elif Path(source).is_file():
        text = Path(source).read_text(encoding="utf-8")
    else:
        raise ValueError(f"Configuration must be one of {', '.join(list_presets())} or a YAML file, not {source!r}")
    try:
        return parse(text, Path(source).stem)
    except yaml.YAMLError as error:
        raise ValueError(f"{source} is not YAML: {' '.join(str(error).split())}") from None
    except (TypeError, ValueError) as error:
        raise type(error)(f"{source}: {error}") from None


def folder():
    return resources.files(__package__)


def parse(text, name):
    content = yaml.safe_load(text)
    if not isinstance(content, dict):
        raise ValueError(f"A configuration must be a mapping with {', '.join(SECTIONS)}")
    refuse_unknown("section", content, SECTIONS)
    hardware = content.get("hardware")
    training = content.get("training") or {}
    if not isinstance(hardware, dict) or not isinstance(training, dict):
        raise ValueError("Sections hardware and training must be mappings")
    names = [field for field in FixarConfig.__dataclass_fields__ if field not in ("name", "system")]
    refuse_unknown("field of hardware", hardware, names)
    needed = [name for name in ("cores", "lanes", "vectors", "weight_rows", "activation_rows", "error_rows",
                                "accumulator_depth", "batch_limit") if name not in hardware]  # fmt: skip
    if needed:
        raise ValueError(f"Section hardware needs {', '.join(needed)}")
    config = FixarConfig(name=content.get("name", name), system=content.get("system", "fixar"), **hardware)
    return Preset(config, training)


def refuse_unknown(what, given, known):
    unknown = [str(key) for key in given if key not in known]
    if unknown:
        raise ValueError(f"Unknown {what}: {', '.join(unknown)}; there are {', '.join(known)}")
