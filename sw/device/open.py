"""One way to open a device, wherever it is."""

from collections.abc import Callable
from typing import Any, TypeVar

from .device import ShellDevice
from .simulation import SimulationTransport
from .transport import Transport

__all__ = ["open_backend", "open_device"]

Reference = TypeVar("Reference")
Device = TypeVar("Device")


def open_device(where: str, config: Any, **options: Any) -> ShellDevice:
    """Open a device that was built for ``config``.

    Parameters
    ----------
    where : str
        ``"sim"``: the RTL in the simulator, options ``waveform``, ``threads``, ``seed``, ``stall``, ``hierarchical``.
        ``"uart:PORT"``, such as ``"uart:/dev/ttyUSB0"``: a board, options ``baud``, ``timeout``.
    config : object
        With ``system`` (a name) and ``shell`` (a ``ShellConfig``).

    Raises
    ------
    DeviceError
        There is no such device, or one that was built for something else.
    """
    kind, _, port = where.partition(":")
    transport: Transport
    if where == "sim":
        transport = SimulationTransport(config, **options)
    elif kind == "uart" and port:
        from .uart import UartTransport

        transport = UartTransport(port, config, **options)
    else:
        raise ValueError(f'A device must be "sim" or "uart:PORT", not {where!r}')
    return ShellDevice(transport, config)


def open_backend(
    where: str, reference: Callable[[], Reference], device: Callable[..., Device], **options: Any
) -> Reference | Device:
    """Open something that the reference does as well as a device.

    Parameters
    ----------
    where : str
        ``"reference"``; ``"rtl"``, the RTL in the simulator; ``"uart:PORT"``, a board.
    reference : callable
        Makes the reference.
    device : callable
        Opens the device, given where it is as :func:`open_device` takes it.
    **options
        For ``device``.

    Raises
    ------
    ValueError
        There is no such backend.
    """
    if where == "reference":
        return reference()
    if where != "rtl" and not where.startswith("uart:"):
        raise ValueError(f"Backend must be reference, rtl or uart:PORT, not {where!r}")
    return device("sim" if where == "rtl" else where, **options)
