"""Commands that an engine was given and has not completed."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .instructions import OUTSTANDING_WIDTH

__all__ = ["CommandCounter"]


class CommandCounter(wiring.Component):
    """Counts the commands of an engine that are outstanding, up to 15.

    A command may complete in the very cycle of its issue; a completion of nothing is ignored.

    Latency: a command counts from the cycle after its issue to that of its completion.

    Members
    -------
    issued : In(1)
        A command is given to the engine; not while ``full``.
    completed : In(1)
        The engine completes one.
    allowed : In(OUTSTANDING_WIDTH)
    idle : Out(1)
        None is outstanding.
    full : Out(1)
        No more can be counted.
    within : Out(1)
        At most ``allowed`` are outstanding.
    """

    issued: In(1)
    completed: In(1)
    allowed: In(OUTSTANDING_WIDTH)
    idle: Out(1)
    full: Out(1)
    within: Out(1)

    def elaborate(self, platform):
        m = Module()
        outstanding = Signal(OUTSTANDING_WIDTH)
        m.d.comb += [
            self.idle.eq(outstanding == 0),
            self.full.eq(outstanding.all()),
            self.within.eq(outstanding <= self.allowed),
        ]
        m.d.sync += outstanding.eq(outstanding + self.issued - (self.completed & (self.issued | ~self.idle)))
        return m
