"""The description behind a package's files: ports, interfaces, clocks, registers and instructions of one design.

Plain data without Amaranth; :func:`~.describe.describe` makes it from a component.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..bus.interfaces import BusInterface, Interrupt, Reset
from ..bus.registers import AddressMap
from ..sequencer.instructions import InstructionSet
from ..shell.row_record import RowRecord

__all__ = ["VENDOR", "Clock", "PackageDescription", "Port"]

VENDOR = "rewardware"


@dataclass(frozen=True, kw_only=True)
class Port:
    """A port of the top module.

    Parameters
    ----------
    name : str
    direction : str
        ``"in"`` or ``"out"``.
    width : int
        Bits, at least 1.
    """

    name: str
    direction: Literal["in", "out"]
    width: int

    @property
    def bits(self) -> str:
        """All bits of it in constraints: the name of a bus alone is none of its bits to some tools."""
        return self.name if self.width == 1 else f"{self.name}[*]"


@dataclass(frozen=True, kw_only=True)
class Clock:
    """A clock.

    Parameters
    ----------
    port : str
    frequency_mhz : float
        Frequency of the constraints.
    interfaces : tuple of str
        Names of the interfaces that belong to it.
    source : str
        Where the frequency is from.
    """

    port: str
    frequency_mhz: float
    interfaces: tuple[str, ...] = ()
    source: str = ""

    @property
    def period_ns(self) -> float:
        """Nanoseconds from edge to edge."""
        return 1000 / self.frequency_mhz


@dataclass(frozen=True, kw_only=True)
class PackageDescription:
    """A design as every file of its package describes it.

    Parameters
    ----------
    name : str
        The top module; files are called by it.
    design : str
        Name in the catalogue.
    description : str
        One line.
    version : str
        Version of this project, ``"MAJOR.MINOR.PATCH"``.
    ports : tuple of Port
        All of them, in no order that matters: connect them by name.
    interfaces : tuple of BusInterface
        None for a core.
    clocks : tuple of Clock
    resets : tuple of Reset
    interrupts : tuple of Interrupt
    files : tuple of str
        Verilog, relative to the package: ``rtl/NAME.v`` and what it instantiates.
    configuration : Mapping
        Values that the design was made from, as plain data.
    configuration_hash : int or None
        What the register of that name reads as; None without registers.
    address_map : AddressMap or None
    instruction_set : InstructionSet or None
    rows : tuple of RowRecord
    """

    name: str
    design: str
    description: str
    version: str
    ports: tuple[Port, ...]
    files: tuple[str, ...]
    interfaces: tuple[BusInterface, ...] = ()
    clocks: tuple[Clock, ...] = ()
    resets: tuple[Reset, ...] = ()
    interrupts: tuple[Interrupt, ...] = ()
    configuration: Mapping[str, Any] = field(default_factory=dict)
    configuration_hash: int | None = None
    address_map: AddressMap | None = None
    instruction_set: InstructionSet | None = None
    rows: tuple[RowRecord, ...] = ()

    @property
    def vendor(self) -> str:
        """First part of the name that IP-XACT, FuseSoC and the vendors' tools give the design."""
        return VENDOR

    @property
    def short_version(self) -> str:
        """``"MAJOR.MINOR"``, as the vendors' catalogues want it."""
        return ".".join(self.version.split(".")[:2])

    @property
    def library(self) -> str:
        """Second part of that name: ``systems`` with buses, ``cores`` without."""
        return "systems" if self.interfaces else "cores"

    @property
    def enumerations(self) -> tuple[type[enum.IntEnum], ...]:
        """Enumerations whose numbers are in fields of registers, instructions and rows."""
        registers = self.address_map.registers if self.address_map is not None else ()
        fields = [part.field for entry in registers for part in entry.item.fields]
        if self.instruction_set is not None:
            fields += [part.field for entry in self.instruction_set.formats for part in entry.arguments]
        fields += [part for row in self.rows for part in row.record.fields]
        return tuple(dict.fromkeys(part.values for part in fields if part.values is not None))

    @property
    def control(self) -> BusInterface:
        """The interface of the registers, a slave of AXI4-Lite; ``KeyError`` without."""
        for interface in self.interfaces:
            if interface.protocol == "axi4lite":
                return interface
        raise KeyError(f"{self.name} has no registers")

    @property
    def loose_ports(self) -> tuple[Port, ...]:
        """Ports that are neither of an interface nor a clock, a reset or an interrupt."""
        known = {port for interface in self.interfaces for port in interface.ports.values()}
        for parts in (self.clocks, self.resets, self.interrupts):
            known |= {part.port for part in parts}
        return tuple(port for port in self.ports if port.name not in known)

    def port(self, name: str) -> Port:
        """The port of that name; ``KeyError`` without."""
        for port in self.ports:
            if port.name == name:
                return port
        raise KeyError(f"{self.name} has no port {name!r}")

    def interface(self, name: str) -> BusInterface:
        """The interface of that name; ``KeyError`` without."""
        for interface in self.interfaces:
            if interface.name == name:
                return interface
        raise KeyError(f"{self.name} has no interface {name!r}")
