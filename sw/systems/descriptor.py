"""Descriptors of systems in software, and the systems there are; a descriptor's objects are imported on use."""

import functools
import importlib
import importlib.metadata
import importlib.util
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...hw.cores.checks import require_name
from ...hw.soc.devices import DeviceDescriptor, register_device

__all__ = ["ENTRY_POINTS", "SystemDescriptor", "find_system", "register_system", "systems", "systems_with"]

# Group under which a package of somebody else names its descriptors: `toaster = "toaster.descriptor:SYSTEM"`.
ENTRY_POINTS = "rewardware.systems"


@dataclass(frozen=True, kw_only=True)
class SystemDescriptor:
    """A system to the command line.

    Parameters
    ----------
    name
        On the command line.
    description
        What it does, in a line.
    names
        Its name under a command that has another one for it: the algorithm's, say.
    commands
        Modules by the command that they add to: ``train``, ``plan``, ``experiment``, ``explore``. A module has
        ``add_arguments(parser)`` and ``run(arguments)``; the first line of its docstring is its help.
    bench
        ``"module:class"`` of its bench, or empty.
    agents
        ``"module:class"`` of each agent, by its name in checkpoints.
    simulated_work
        ``"module:function"`` of what its devices are kept busy with while simulators are measured, or empty.
    simulated_devices
        Names of these devices.
    inference
        ``"module:function"`` of what opens convolutional networks on a backend of it, given the backend's name and a
        device (:func:`..inference.networks_on`), or empty.
    devices
        Devices of a system outside this package, which become known with it.
    """

    name: str
    description: str
    names: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)
    bench: str = ""
    agents: Mapping[str, str] = field(default_factory=dict)
    simulated_work: str = ""
    simulated_devices: tuple[str, ...] = ()
    inference: str = ""
    devices: tuple[DeviceDescriptor, ...] = ()

    def has(self, command: str) -> bool:
        """Whether the command knows this system."""
        return bool(self.bench) if command == "bench" else command in self.commands

    def name_under(self, command: str) -> str:
        """Its name under a command."""
        return self.names.get(command, self.name)


@functools.cache
def _known() -> dict[str, SystemDescriptor]:
    """Systems of the folders beside this file, then those of other packages, by name."""
    found: dict[str, SystemDescriptor] = {}
    package = importlib.import_module(__package__)
    for folder in sorted(entry.name for entry in pkgutil.iter_modules(package.__path__) if entry.ispkg):
        system = importlib.import_module(f"{__package__}.{folder}.descriptor").SYSTEM
        found[system.name] = system
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        _add(found, entry.load())
    return found


def _add(known: dict[str, SystemDescriptor], system: SystemDescriptor) -> None:
    if known.setdefault(system.name, system) != system:
        raise ValueError(f"There is a system {system.name!r} already: {known[system.name].description}")
    for device in system.devices:
        register_device(device)


def systems() -> Mapping[str, SystemDescriptor]:
    """All systems by name, in the order of their names."""
    return dict(sorted(_known().items()))


def systems_with(command: str) -> dict[str, SystemDescriptor]:
    """The systems that a command knows, by their names under it, in the order of these."""
    return dict(sorted((system.name_under(command), system) for system in systems().values() if system.has(command)))


def find_system(name: str) -> SystemDescriptor:
    """The system of that name.

    Raises
    ------
    ValueError
        There is none; the text names those there are.
    """
    require_name("System", name, systems())
    return _known()[name]


def register_system(system: SystemDescriptor) -> None:
    """Make a system outside this package known to the command line, and its devices to everything.

    Raises
    ------
    ValueError
        There is another one of that name.
    """
    _add(_known(), system)
