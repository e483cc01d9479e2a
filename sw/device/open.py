"""One way to open a device, wherever it is."""

from typing import Any

from .device import ShellDevice
from .simulation import SimulationTransport
from .transport import Transport

__all__ = ["open_device"]


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
