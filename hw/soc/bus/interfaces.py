"""Roles of a top's ports for other tools: buses, resets, interrupts. No Amaranth here."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...cores.checks import require_name

__all__ = ["BusInterface", "Interrupt", "Reset"]

_PROTOCOLS, _MODES = ("axi4lite", "axi4stream", "axi4"), ("slave", "master")


@dataclass(frozen=True, kw_only=True)
class BusInterface:
    """Ports that together are a bus.

    Parameters
    ----------
    name : str
        What the names of its ports begin with, such as ``s_axi_ctrl``.
    protocol : str
        ``"axi4lite"``, ``"axi4stream"`` or ``"axi4"``.
    mode : str
        ``"slave"`` or ``"master"``.
    ports : Mapping
        Port of the module by the protocol's name of it, such as ``{"AWADDR": "s_axi_ctrl_awaddr"}``.
    clock, reset : str
        Ports of the clock and the reset that it belongs to.
    data_width : int
        Bits of data a transfer.
    address_width : int
        Bits of a byte address; 0 for a stream.
    description : str
    pointers : tuple of str
        Registers that hold addresses of what a master reads or writes; of an address in two words, the low one.
    row_bytes : int
        Bytes from one row to the next in the memory of a master; 0 for what moves no rows.

    Raises
    ------
    ValueError
        Another protocol or mode.
    """

    name: str
    protocol: str
    mode: str
    ports: Mapping[str, str]
    clock: str
    reset: str
    data_width: int
    address_width: int = 0
    description: str = ""
    pointers: tuple[str, ...] = ()
    row_bytes: int = 0

    def __post_init__(self) -> None:
        require_name(f"Protocol of {self.name}", self.protocol, _PROTOCOLS)
        require_name(f"Mode of {self.name}", self.mode, _MODES)


@dataclass(frozen=True, kw_only=True)
class Reset:
    """A synchronous reset.

    Parameters
    ----------
    port : str
    active_low : bool
        The design is in reset while the port is 0.
    clock : str
        Port of its clock.
    """

    port: str
    active_low: bool
    clock: str


@dataclass(frozen=True, kw_only=True)
class Interrupt:
    """An interrupt, active while it is 1 (a level).

    Parameters
    ----------
    port : str
    clock : str
        Port of its clock.
    reset : str
        Port of its reset.
    """

    port: str
    clock: str
    reset: str
