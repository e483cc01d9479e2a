"""The devices there are: each says in its own folder what it is. No Amaranth here; a device is imported on use."""

import functools
import importlib.resources
import importlib.util
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any

from ..cores.checks import require_name

__all__ = ["DeviceDescriptor", "component_of", "devices", "find_device", "load_object", "register_device"]

SOC = __package__


def load_object(place: str) -> Any:
    """Load the object that ``"module:name"`` names."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


@dataclass(frozen=True, kw_only=True)
class DeviceDescriptor:
    """A device, as export, simulator, boards and presets need it.

    Parameters
    ----------
    name : str
        ``config.system`` of its configurations, and its name on the command line.
    description : str
        What it computes, in a line.
    component : str
        ``"module:class"`` of the component, which takes ``hardware``.
    configuration : str
        ``"module:class"`` of what section ``hardware`` of a preset holds.
    hardware : str
        ``"module:class"`` of what the device is built from, where that is more than the configuration: it has a field
        ``device`` for it, and as others the depths of memories, section ``memories`` of a preset. Empty: no more.
    presets : str
        Package and folder of its presets, as ``"package:folder"``. Empty: its name below :mod:`.presets`.
    default_preset : str
        Preset whose settings are the defaults of an export.
    board_presets : tuple of str
        Presets for boards, the largest first: a board takes the first one that fits its part.
    """

    name: str
    description: str
    component: str
    configuration: str
    hardware: str = ""
    presets: str = ""
    default_preset: str = "small"
    board_presets: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for place in ("component", "configuration", "hardware"):
            text = getattr(self, place)
            if text.count(":") != 1 and (text or place != "hardware"):
                raise ValueError(f'{place.capitalize()} of {self.name} must be "module:class", not {text!r}')

    @property
    def component_class(self) -> Any:
        """The class of ``component``; imports Amaranth."""
        return load_object(self.component)

    @property
    def configuration_class(self) -> Any:
        """The class of ``configuration``."""
        return load_object(self.configuration)

    @property
    def hardware_class(self) -> Any:
        """The class that the component takes."""
        return load_object(self.hardware or self.configuration)

    @property
    def preset_folder(self) -> Traversable:
        """Where its presets are."""
        package, _, folder = self.presets.partition(":")
        return importlib.resources.files(package or f"{SOC}.presets") / (folder or self.name)


@functools.cache
def _known() -> dict[str, DeviceDescriptor]:
    """Devices of the folders beside this file, by name; a folder's ``descriptor`` has them as ``DEVICES``."""
    found = {}
    package = importlib.import_module(SOC)
    for folder in sorted(entry.name for entry in pkgutil.iter_modules(package.__path__) if entry.ispkg):
        if importlib.util.find_spec(f"{SOC}.{folder}.descriptor"):
            for device in importlib.import_module(f"{SOC}.{folder}.descriptor").DEVICES:
                found[device.name] = device
    return found


def devices() -> Mapping[str, DeviceDescriptor]:
    """All devices by name, in the order of their names."""
    return dict(sorted(_known().items()))


def find_device(name: str) -> DeviceDescriptor:
    """The device of that name.

    Raises
    ------
    ValueError
        There is none; the text names those there are.
    """
    require_name("System", name, devices())
    return _known()[name]


def component_of(config: Any) -> Any:
    """The component that a configuration describes, by its ``system``; imports Amaranth.

    Raises
    ------
    ValueError
        There is no such device.
    """
    return find_device(config.system).component_class(config)


def register_device(device: DeviceDescriptor) -> None:
    """Make a device outside this package known: to presets, export, simulator and boards.

    Raises
    ------
    ValueError
        There is another one of that name.
    """
    if _known().setdefault(device.name, device) != device:
        raise ValueError(f"There is a device {device.name!r} already: {_known()[device.name].component}")
