"""Convolutional networks on the device of a system, for other systems, which do not import it."""

from typing import Any

from ...hw.soc.devices import load_object
from ..networks.convolution.running_network import OpenNetwork
from .descriptor import find_system, systems

__all__ = ["networks_on"]


def networks_on(backend: str, hardware: Any = None, *, system: str = "dynamap", **options: Any) -> OpenNetwork:
    """Find what opens networks on integers on a backend of a system.

    Parameters
    ----------
    backend : str
        As :func:`.backends.parse_backend` takes it.
    hardware : object
        The device, the name of its preset, a YAML file, or its fields; None: as the system has it.
    system : str
        One whose descriptor has ``inference``.
    **options
        Options of :func:`..device.open.open_device`.

    Raises
    ------
    ValueError
        There is no such system or backend, or the system computes no networks.
    """
    place = find_system(system).inference
    if not place:
        those = ", ".join(name for name, each in systems().items() if each.inference)
        raise ValueError(f"System must be one that computes networks, {those}, not {system!r}")
    opening: OpenNetwork = load_object(place)(backend, hardware, **options)
    return opening
