"""Counters of what a search takes."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["SearchCounters", "counters_layout"]

COUNTER_WIDTH = 32


def counters_layout():
    """Counters since the reset, of 32 bits each; behind the greatest number comes 0.

    ``selections`` entered the tree. ``intervals`` of them came right behind another one, for which alone they had
    waited; ``interval_cycles`` lie between the two, so that the mean is what the tree takes for a selection. In
    ``assigning_cycles`` a block of rows was being assigned, or taken back.
    """
    names = ("selections", "intervals", "interval_cycles", "assigning_cycles")
    return data.StructLayout(dict.fromkeys(names, COUNTER_WIDTH))


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
    counters : Out(counters_layout)
    """

    def __init__(self):
        super().__init__(
            {
                "enters": In(1),
                "selects": In(1),
                "starved": In(1),
                "assigning": In(1),
                "counters": Out(counters_layout()),
            }
        )

    def elaborate(self, platform):
        m = Module()
        counters = self.counters
        since, follows = Signal(COUNTER_WIDTH), Signal()
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
