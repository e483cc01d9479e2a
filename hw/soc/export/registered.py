"""A unit as it stands in a larger design: between registers."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

__all__ = ["RegisteredUnit"]


class RegisteredUnit(wiring.Component):
    """A unit with a register before each input and, if it has no stages itself, behind each output.

    Placed alone, a unit has no clock before its first register; so surrounded, all of its logic counts.

    Parameters
    ----------
    unit : wiring.Component
        With plain values as ports, and ``latency``.

    Members
    -------
    The ports of the unit.
    """

    def __init__(self, unit: wiring.Component):
        super().__init__(dict(unit.signature.members.items()))
        self._unit = unit

    def elaborate(self, platform):
        m = Module()
        m.submodules.unit = unit = self._unit
        for name, member in self.signature.members.items():
            inside, outside = getattr(unit, name), getattr(self, name)
            source, target = (outside, inside) if member.flow == In else (inside, outside)
            if member.flow == In or unit.latency == 0:
                register = Signal.like(inside, name=f"{name}_register", reset_less=True)
                m.d.sync += register.eq(source)
                source = register
            m.d.comb += target.eq(source)
        return m
