"""One way to open a device, wherever it is."""

from collections.abc import Mapping
from typing import Any

from ..core.backends import OWN_LINK, board_names, require_link
from .device import ShellDevice
from .simulation import SimulationTransport
from .transport import Transport

__all__ = ["open_device"]


def open_device(where: str, config: Any, *, transport: Transport | None = None, **options: Any) -> ShellDevice:
    """Open a device that was built for ``config``.

    Parameters
    ----------
    where : str
        ``"sim"``: the RTL in the simulator, options ``waveform``, ``threads``, ``seed``, ``stall``, ``whole``.
        ``"uart:PORT"``, such as ``"uart:/dev/ttyUSB0"``: a board, options ``baud``, ``timeout``; with a baud rate
        as ``"uart:/dev/ttyUSB0@921600"``.
        ``"pynq:BITSTREAM"``, such as ``"pynq:fixar.bit"``: the fabric of the Zynq that this runs on, options ``ip``,
        ``dma``, ``download``, ``packet_rows``, ``timeout``.
        ``"transport"``: what ``transport`` leads to.
    config : object
        With ``system`` (a name) and ``shell`` (a ``ShellConfig``).
    transport : Transport or None
        An open link of one's own, over PCIe say; it is closed with the device, and if the device cannot be opened.

    Raises
    ------
    TypeError
        The link lacks a method of :class:`.transport.Transport`.
    ValueError
        There is no such place, or a link without its place; options that the link given does not have.
    DeviceError
        There is no such device, or one that was built for something else.
    """
    kind, _, port = where.partition(":")
    require_link(where, transport)
    if transport is not None:
        _check_link(transport, options)
    elif where == "sim":
        transport = SimulationTransport(config, **options)
    elif kind == "uart" and port:
        from .uart import UartTransport, split_place

        port, baud = split_place(port)
        transport = UartTransport(port, config, **({} if baud is None else {"baud": baud}), **options)
    elif kind == "pynq" and port:
        from .pynq import PynqTransport

        transport = PynqTransport(port, config, **options)
    else:
        raise ValueError(f"A device must be sim, {', '.join(board_names())} or {OWN_LINK}, not {where!r}")
    return ShellDevice(transport, config)


def _check_link(transport: Any, options: Mapping[str, Any]) -> None:
    """Refuse a link that is none, and options that nobody takes."""
    parts = [name for name in vars(Transport) if not name.startswith("_")]
    lacking = [name for name in parts if not hasattr(transport, name)]
    if lacking:
        raise TypeError(
            f"A transport must have {', '.join(parts)}; {type(transport).__name__} lacks {', '.join(lacking)}"
        )
    if options:
        raise ValueError(f"{', '.join(options)} is for a link that is opened here, not for a given transport")
