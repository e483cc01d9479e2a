"""Devices and the links between them."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from ....hw.cores.checks import require_name
from ...core.fields import read_fields, read_yaml, require_names, require_number

__all__ = ["Device", "DeviceKind", "Link", "Platform", "list_platforms", "load_platform"]

_SUFFIX = ".yaml"


class DeviceKind(StrEnum):
    """Kinds of devices."""

    CPU = "cpu"
    GPU = "gpu"
    FPGA = "fpga"


@dataclass(frozen=True, kw_only=True)
class Device:
    """A device on which tasks can be placed.

    Parameters
    ----------
    name : str
    kind : DeviceKind or str
    memory_bandwidth : float
        Bytes a second of its own memory.
    resources : dict of str to float
        Amount of each resource that tasks take for good, such as ``dsp`` of an FPGA; no limit if not named.
    profile : dict
        How latencies are found when they are not given (:mod:`.profiling`).

    Raises
    ------
    TypeError, ValueError
        A number that is none, or out of range; another kind.
    """

    name: str
    kind: DeviceKind
    memory_bandwidth: float
    resources: Mapping[str, float] = field(default_factory=dict)
    profile: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in list(DeviceKind):
            raise ValueError(f"Kind of device {self.name} must be one of {', '.join(DeviceKind)}, not {self.kind!r}")
        object.__setattr__(self, "kind", DeviceKind(self.kind))
        require_number(f"Memory bandwidth of {self.name}", self.memory_bandwidth, positive=True)
        for name, amount in self.resources.items():
            require_number(f"{name} of {self.name}", amount)


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link between two devices, the same both ways.

    Parameters
    ----------
    between : tuple of str
        Two devices.
    bandwidth : float
        Bytes a second.
    initiation_latency : float
        Seconds until a transfer's first byte.

    Raises
    ------
    TypeError, ValueError
        Not two devices; a number that is none, or out of range.
    """

    between: tuple[str, str]
    bandwidth: float
    initiation_latency: float = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "between", tuple(self.between))
        if len(set(self.between)) != 2 or len(self.between) != 2:
            raise ValueError(f"A link must be between two devices, not {', '.join(map(str, self.between))}")
        name = " and ".join(self.between)
        require_number(f"Bandwidth between {name}", self.bandwidth, positive=True)
        require_number(f"Initiation latency between {name}", self.initiation_latency)


@dataclass(frozen=True, kw_only=True)
class Platform:
    """Devices and the bandwidth table I.

    Parameters
    ----------
    devices : tuple of Device
    links : tuple of Link
        One for each pair of devices.

    Raises
    ------
    ValueError
        No device, two of one name, a link of an unknown one, two devices without a link or with two.
    """

    devices: tuple[Device, ...]
    links: tuple[Link, ...] = ()

    def __post_init__(self) -> None:
        if not self.devices:
            raise ValueError("A platform must have at least one device")
        if len(self.by_name) != len(self.devices):
            raise ValueError(f"Devices must have different names, not {', '.join(d.name for d in self.devices)}")
        joined = [frozenset(link.between) for link in self.links]
        for link in self.links:
            require_names("device in a link:", link.between, self.by_name)
        for first, second in itertools.combinations(self.by_name, 2):
            count = joined.count(frozenset((first, second)))
            if count != 1:
                raise ValueError(f"Devices {first} and {second} must have one link, not {count}")

    @cached_property
    def by_name(self) -> Mapping[str, Device]:
        """The devices."""
        return {device.name: device for device in self.devices}

    @cached_property
    def _links(self) -> Mapping[frozenset[str], Link]:
        return {frozenset(link.between): link for link in self.links}

    def bandwidth(self, source: str, target: str) -> float:
        """Bytes a second between two devices, or of the memory of one."""
        if source == target:
            return self.by_name[source].memory_bandwidth
        return self._links[frozenset((source, target))].bandwidth

    def transfer(self, amount: float, source: str, target: str) -> float:
        """c, seconds for so many bytes; none within a device."""
        if source == target:
            return 0.0
        link = self._links[frozenset((source, target))]
        return link.initiation_latency + amount / link.bandwidth

    def mean_transfer(self, amount: float) -> float:
        """Seconds for so many bytes, mean of all links; none where there is no link."""
        if not self.links:
            return 0.0
        return sum(self.transfer(amount, *link.between) for link in self.links) / len(self.links)

    def of_kind(self, kind: DeviceKind) -> tuple[str, ...]:
        """Names of the devices of a kind."""
        return tuple(device.name for device in self.devices if device.kind == kind)

    @classmethod
    def from_mapping(cls, content: Any) -> "Platform":
        """The platform that a YAML file's ``devices`` and ``links`` describe.

        Raises
        ------
        TypeError, ValueError
            A field that is unknown, missing, or refused.
        """
        if not isinstance(content, Mapping) or not isinstance(content.get("devices"), Mapping):
            raise TypeError("A platform must be a mapping with devices by name, and links")
        require_names("section of a platform:", content, ("devices", "links"))
        devices = [
            read_fields(Device, f"Device {name}", given, name=name) for name, given in content["devices"].items()
        ]
        links = [read_fields(Link, "A link", given) for given in content.get("links") or ()]
        return cls(devices=tuple(devices), links=tuple(links))


def list_platforms() -> list[str]:
    """Names of the platforms that come with the package."""
    return sorted(file.name.removesuffix(_SUFFIX) for file in _folder().iterdir() if file.name.endswith(_SUFFIX))


def load_platform(name_or_path: str) -> Platform:
    """A platform of the package, or of a YAML file.

    Raises
    ------
    TypeError, ValueError
        There is none, or what is wrong with it.
    """
    names = list_platforms()
    if name_or_path in names:
        file = _folder() / f"{name_or_path}{_SUFFIX}"
    elif not (file := Path(name_or_path)).is_file():
        require_name("Platform", name_or_path, names, other=" or a YAML file")
    return read_yaml(file, Platform.from_mapping)


def _folder() -> Any:
    return resources.files(__package__) / "platforms"
