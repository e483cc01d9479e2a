"""Boards as rows of data. No Amaranth here; the platform is imported on use."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from ...cores.checks import require_integer, require_name
from ..devices import load_object
from ..target.parts import CONSTRAINTS, Part, find_part

__all__ = ["FLOWS", "Board", "SerialPins", "find_board", "load_boards", "usual_bauds"]

# By family what makes the bitstream: a tool that is called here, or the vendor's, for which a project is written.
FLOWS = {"ecp5": "nextpnr-ecp5", "ice40": "nextpnr-ice40", "xc7": "Vivado", "intel": "Quartus"}
# A receiver samples the middle of the tenth bit of a byte: together, both ends may be off by 5 %.
BAUD_TOLERANCE = 0.02


@dataclass(frozen=True, kw_only=True)
class SerialPins:
    """Pins of a connector that are the serial port of a board whose platform has none.

    Parameters
    ----------
    connector : tuple
        Name and number.
    receive, transmit : str
        Pins of the connector, as the board sees them.
    attributes : Mapping
        Attributes of the pins, as the platform has them.
    """

    connector: tuple[str, int]
    receive: str
    transmit: str
    attributes: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Board:
    """A board.

    Parameters
    ----------
    name : str
        On the command line.
    description : str
        A sentence.
    platform : str
        ``"module:class"`` below ``amaranth_boards``.
    part : str
        In ``constraints/devices.yaml``.
    clock_mhz : int
        Clock of the system.
    baud : int
        Baud rate of the serial port.
    leds : str or None
        Name of the resources that are lights; a light of three colours counts as three.
    uart : SerialPins or None
        ``None``: the platform has a resource ``uart``.
    synthesis : str
        Further options of the family's synthesis command.
    settings : Mapping
        Settings of the platform's tools, as Amaranth's ``prepare`` takes them.

    Raises
    ------
    TypeError
        The clock or the baud rate is no integer.
    ValueError
        No divisor of the clock comes near the baud rate.
    """

    name: str
    description: str
    platform: str
    part: str
    clock_mhz: int
    baud: int = 1_000_000
    leds: str | None = "led"
    uart: SerialPins | None = None
    synthesis: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_integer(f"Clock of {self.name} in MHz", self.clock_mhz, 1)
        require_integer(f"Baud rate of {self.name}", self.baud, 1)
        error = abs(self.clock_mhz * 1_000_000 / self.divisor / self.baud - 1) if self.divisor else 1
        if error > BAUD_TOLERANCE or self.divisor < 4:
            raise ValueError(
                f"Clock of {self.name} must be four times the baud rate of {self.baud} or more, and a multiple of it "
                f"within {BAUD_TOLERANCE:.0%}, not {self.clock_mhz} MHz"
            )

    @property
    def module(self) -> str:
        """Name of its top module, and of the files of its build."""
        return self.name.replace("-", "_")

    @property
    def divisor(self) -> int:
        """Clock cycles of a bit of the serial port."""
        return round(self.clock_mhz * 1_000_000 / self.baud)

    @property
    def family(self) -> str:
        """Name of the target."""
        return self.fpga.target.name

    @property
    def fpga(self) -> Part:
        """Resources of its part."""
        return find_part(self.part)

    @property
    def open_tools(self) -> bool:
        """Whether a bitstream is made here; else a project for the vendor's tool is written."""
        return FLOWS[self.family].startswith("nextpnr")

    def make_platform(self) -> Any:
        """A new platform, for one build; imports Amaranth."""
        module, _, name = self.platform.partition(":")
        return load_object(f"amaranth_boards.{module}:{name}")()


@functools.cache
def load_boards() -> Mapping[str, Board]:
    """All boards of ``constraints/boards.yaml`` by name, in its order."""
    table = yaml.safe_load((CONSTRAINTS / "boards.yaml").read_text(encoding="utf-8"))
    return {name: _read(name, entry) for name, entry in table.items()}


def _read(name: str, entry: dict[str, Any]) -> Board:
    uart = entry.get("uart")
    pins = None if uart is None else SerialPins(**uart | {"connector": tuple(uart["connector"])})
    return Board(name=name, **entry | {"uart": pins})


def find_board(name: str) -> Board:
    """The board of that name.

    Raises
    ------
    ValueError
        There is none; the text names those there are.
    """
    require_name("Board", name, load_boards())
    return load_boards()[name]


def usual_bauds() -> tuple[int, ...]:
    """Baud rates of the boards there are, the most usual first."""
    bauds = [board.baud for board in load_boards().values()]
    return tuple(sorted(set(bauds), key=bauds.count, reverse=True))
