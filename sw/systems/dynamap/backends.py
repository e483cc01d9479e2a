"""Where a network on integers is computed."""

from functools import partial
from typing import Any

from ...core.backends import OWN_LINK, Backend, open_backend, options_at, parse_backend, require_link
from ...networks.convolution.running_network import OpenNetwork, RunningNetwork
from ...reference.convolution.quantization import QuantizedNetwork

__all__ = ["network_on"]


def network_on(backend: str, hardware: Any = None, **options: Any) -> OpenNetwork:
    """A function that opens a network on a backend.

    Parameters
    ----------
    backend
        ``"reference"``: NumPy. ``"rtl"``, ``"uart:PORT"``, ``"transport"``: a device. ``"lockstep"``: reference and
        RTL, every tensor compared that both give.
    hardware
        The device; without, one that suits the network.
    **options
        Options of :func:`...device.open.open_device`.

    Raises
    ------
    ValueError
        There is no such backend, or a link of one's own without a device behind it.
    """
    where = parse_backend(backend)
    require_link(backend, options.get(OWN_LINK))
    return partial(_open, where, hardware, options)


def _open(where: Backend, hardware: Any, options: dict[str, Any], network: QuantizedNetwork) -> RunningNetwork:
    def reference() -> RunningNetwork:
        from .reference_network import ReferenceNetwork

        return ReferenceNetwork(network)

    def device(place: str) -> RunningNetwork:
        from .device_network import DeviceNetwork

        # Two are compared layer by layer.
        keep = bool(where.pair)
        opened: RunningNetwork = DeviceNetwork(network, hardware, place, keep=keep, **options_at(place, options))
        return opened

    def lockstep(one: RunningNetwork, other: RunningNetwork) -> RunningNetwork:
        from .lockstep_network import LockstepNetwork

        return LockstepNetwork(one, other, network.outputs)

    opened: RunningNetwork = open_backend(where, reference, device, lockstep)
    return opened
