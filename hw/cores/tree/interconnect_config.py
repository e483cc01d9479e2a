"""Configurations of the stage-bank interconnect and of what it is made of. No Amaranth here."""

from dataclasses import dataclass
from math import prod

from ..checks import require_integer, require_power_of_two
from .config import INTERCONNECTS, require_concentration

__all__ = ["ButterflyConfig", "InterconnectConfig", "SwitchConfig"]


@dataclass(frozen=True, kw_only=True)
class SwitchConfig:
    """Shape of a switch.

    Parameters
    ----------
    inputs, outputs : int
        At least 1.
    width : int
        Bits of a value before the bits that choose the output are taken off.
    one_hot : bool
        Inputs are chosen by a single bit each, in place of an index: fewer levels of logic, more tables.
    """

    inputs: int
    outputs: int
    width: int
    one_hot: bool = False

    def __post_init__(self):
        require_integer("Number of inputs", self.inputs, 1)
        require_integer("Number of outputs", self.outputs, 1)
        require_integer("Width", self.width, self.digit_width + 1)

    @property
    def digit_width(self) -> int:
        """Bits that choose the output."""
        return (self.outputs - 1).bit_length()


@dataclass(frozen=True, kw_only=True)
class ButterflyConfig:
    """Shape of a butterfly.

    Parameters
    ----------
    radices : tuple of int
        Inputs, and outputs, of the switches of each layer: powers of two.
    width : int
        Bits of a value before the bits that choose the output are taken off.
    one_hot : bool
        Switches choose by single bits, see :class:`SwitchConfig`.
    """

    radices: tuple[int, ...]
    width: int
    one_hot: bool = False

    def __post_init__(self):
        for radix in self.radices:
            require_power_of_two("Radix", radix, 2)
        require_integer("Width", self.width, self.ports.bit_length())

    @property
    def ports(self) -> int:
        """Inputs, and outputs."""
        return prod(self.radices)


@dataclass(frozen=True, kw_only=True)
class InterconnectConfig:
    """Shape of the interconnect.

    Parameters
    ----------
    stages : int
        D (2 to 64).
    banks : int
        Y (``stages`` to 1024).
    interconnect : str
        ``"butterfly"`` of 2 x 2 switches; ``"butterfly4"`` of 4 x 4 switches, with 2 x 2 ones in the last layer
        where four does not divide; ``"crossbar"``.
    concentration : int
        Stages that share a port of the butterfly, a power of two: stages s, s + P and so on are at port s.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    stages: int = 16
    banks: int = 128
    interconnect: str = "butterfly"
    concentration: int = 1

    def __post_init__(self):
        require_integer("Number of stages", self.stages, 2, 64)
        require_integer("Number of banks", self.banks, self.stages, 1024)
        if self.interconnect not in INTERCONNECTS:
            raise ValueError(f"Interconnect must be one of {', '.join(INTERCONNECTS)}, not {self.interconnect!r}")
        require_concentration(self.concentration, self.stages, self.interconnect)

    @property
    def stage_width(self) -> int:
        """Bits of the number of a stage."""
        return (self.stages - 1).bit_length()

    @property
    def bank_width(self) -> int:
        """Bits of the number of a bank."""
        return (self.banks - 1).bit_length()

    @property
    def ports(self) -> int:
        """P, of the butterfly on either side: the power of two not below the stages, over the ``concentration``.

        Stage s is at port s mod P, bank b at port b mod P.
        """
        return (1 << self.stage_width) // self.concentration

    @property
    def port_width(self) -> int:
        """Bits of the number of a port."""
        return (self.ports - 1).bit_length()

    @property
    def radices(self) -> tuple[int, ...]:
        """Radices of the butterfly's layers, in the order in which a value passes them; a crossbar has none."""
        if self.interconnect == "crossbar":
            return ()
        if self.interconnect == "butterfly":
            return (2,) * self.port_width
        return (4,) * (self.port_width // 2) + (2,) * (self.port_width % 2)

    @property
    def request_latency(self) -> int:
        """Cycles from a stage to a bank, if nothing is in the way."""
        return len(self.radices) + (self.concentration > 1) or 1

    @property
    def response_latency(self) -> int:
        """Cycles from a bank to a stage, if nothing is in the way."""
        return len(self.radices) + 1
