"""Presets: named configurations in YAML, a folder for each system. No Amaranth here."""

import dataclasses
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml

from ...cores.checks import require_name
from ..devices import find_device

__all__ = ["Preset", "list_presets", "load_preset", "read_preset"]

SECTIONS = ("name", "system", "hardware", "memories", "training")


@dataclass(frozen=True)
class Preset:
    """Contents of a preset's file.

    Parameters
    ----------
    config : object
        An object of the device's ``configuration_class``.
    training : dict
        Defaults of hyper-parameters for this configuration, as the agent names them.
    hardware : object
        Object that the device is built from: the configuration, with the depths of memories where they are not part of
        it.
    """

    config: Any
    training: dict = field(default_factory=dict)
    hardware: Any = None


def list_presets(system="fixar"):
    """Names of a system's presets that come with the package."""
    return sorted(
        entry.name.removesuffix(".yaml") for entry in folder(system).iterdir() if entry.name.endswith(".yaml")
    )


def load_preset(name_or_path, system="fixar"):
    """Configuration of a system's preset, or of a YAML file.

    Raises
    ------
    ValueError
        There is no such preset or file, or it holds what no configuration has; the message names it.
    """
    return read_preset(name_or_path, system).config


def read_preset(name_or_path, system="fixar"):
    """:class:`Preset` of that name, with or without ``system/`` before it, or file."""
    source, names = str(name_or_path), list_presets(system)
    if source.removeprefix(f"{system}/") in names:
        source = source.removeprefix(f"{system}/")
    if source in names:
        text = (folder(system) / f"{source}.yaml").read_text(encoding="utf-8")
    elif Path(source).is_file():
        try:
            text = Path(source).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{source} is not UTF-8 text: {error.reason} at byte {error.start}") from None
    else:
        require_name("Configuration", source, names, other=" or a YAML file")
    try:
        return parse(text, Path(source).stem, system)
    except yaml.YAMLError as error:
        raise ValueError(f"{source} is not YAML: {' '.join(str(error).split())}") from None
    except (TypeError, ValueError) as error:
        raise type(error)(f"{source}: {error}") from None


def folder(system: str) -> Traversable:
    return find_device(system).preset_folder


def parse(text, name, system):
    content = yaml.safe_load(text)
    if not isinstance(content, dict):
        raise ValueError(f"A configuration must be a mapping with {', '.join(SECTIONS)}")
    refuse_unknown("section", content, SECTIONS)
    hardware = content.get("hardware")
    training, memories = content.get("training") or {}, content.get("memories") or {}
    if not isinstance(hardware, dict) or not isinstance(training, dict) or not isinstance(memories, dict):
        raise ValueError("Sections hardware, memories and training must be mappings")
    device = find_device(system)
    configuration, whole = device.configuration_class, device.hardware_class
    fields = [field for field in dataclasses.fields(configuration) if field.name not in ("name", "system")]
    refuse_unknown("field of hardware", hardware, [field.name for field in fields])
    needed = [field.name for field in fields if field.default is dataclasses.MISSING and field.name not in hardware]
    if needed:
        raise ValueError(f"Section hardware needs {', '.join(needed)}")
    found = {"name": content.get("name", name), "system": content.get("system", system)}
    config = configuration(**found, **hardware)
    if whole is configuration:
        refuse_unknown("field of memories", memories, [])
        return Preset(config, training, config)
    known = [field.name for field in dataclasses.fields(whole) if field.name not in ("device", "system")]
    refuse_unknown("field of memories", memories, known)
    return Preset(config, training, whole(device=config, **memories))


def refuse_unknown(what, given, known):
    unknown = [str(key) for key in given if key not in known]
    if unknown:
        raise ValueError(f"Unknown {what}: {', '.join(unknown)}; there are {', '.join(known) or 'none'}")
