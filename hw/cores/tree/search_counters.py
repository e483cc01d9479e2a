"""Counters of what a search takes."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .layouts import record_layout
from .records import COUNTERS

__all__ = ["SearchCounters"]


class SearchCounters(wiring.Component):
    """Counts selections, cycles between those that enter back to back, and cycles in which blocks are assigned.

    Latency: 1 cycle.

    Members
    -------
    enters : In(1)
        A request enters the stage of the root.
    selects : In(1)
        It is a selection without an error.
    starved : In(1)
        No request waits to be sent.
    assigning : In(1)
    counters : Out(COUNTERS)
    """

    def __init__(self):
        super().__init__(
            {
                "enters": In(1),
                "selects": In(1),
                "starved": In(1),
                "assigning": In(1),
                "counters": Out(record_layout(COUNTERS)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        counters = self.counters
        since, follows = Signal.like(counters.interval_cycles), Signal()
        m.d.sync += [since.eq(since + 1), counters.assigning_cycles.eq(counters.assigning_cycles + self.assigning)]
        with m.If(self.enters):
            m.d.sync += [since.eq(1), follows.eq(self.selects)]
            with m.If(self.selects):
                m.d.sync += counters.selections.eq(counters.selections + 1)
                with m.If(follows):
                    m.d.sync += [
                        counters.intervals.eq(counters.intervals + 1),
                        counters.interval_cycles.eq(counters.interval_cycles + since),
                    ]
        with m.If(self.starved):
            m.d.sync += follows.eq(0)
        return m
