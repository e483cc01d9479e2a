"""Counters of what a search takes."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..layouts import record_layout
from .records import COUNTERS, Record

__all__ = ["SearchCounters"]


class SearchCounters(wiring.Component):
    """Counts selections, cycles between selections or backups back to back, and cycles in which blocks are assigned.

    Latency: 1 cycle. A counter that is full begins again.

    Parameters
    ----------
    record : Record
        The counters, each with its width.

    Members
    -------
    enters : In(1)
        A request enters the stage of the root.
    selects : In(1)
        It is a selection without an error.
    backs_up : In(1)
        It is a backup without an error.
    starved : In(1)
        No request waits to be sent.
    assigning : In(1)
    counters : Out(record)
    """

    def __init__(self, record: Record = COUNTERS):
        super().__init__(
            {
                "enters": In(1),
                "selects": In(1),
                "backs_up": In(1),
                "starved": In(1),
                "assigning": In(1),
                "counters": Out(record_layout(record)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        counters = self.counters
        since = Signal.like(counters.interval_cycles)
        m.d.sync += [since.eq(since + 1), counters.assigning_cycles.eq(counters.assigning_cycles + self.assigning)]
        with m.If(self.enters):
            m.d.sync += since.eq(1)
        with m.If(self.enters & self.selects):
            m.d.sync += counters.selections.eq(counters.selections + 1)
        self._count(m, self.selects, since, counters.intervals, counters.interval_cycles)
        self._count(m, self.backs_up, since, counters.backup_intervals, counters.backup_interval_cycles)
        return m

    def _count(self, m, is_kind, since, intervals, cycles):
        """Requests of a kind that come right after another one of it, and the cycles between the two."""
        follows = Signal()
        with m.If(self.enters):
            m.d.sync += follows.eq(is_kind)
            with m.If(is_kind & follows):
                m.d.sync += [intervals.eq(intervals + 1), cycles.eq(cycles + since)]
        with m.If(self.starved):
            m.d.sync += follows.eq(0)
