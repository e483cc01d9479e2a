"""A system on a clock of its own, behind asynchronous FIFOs."""

from amaranth.hdl import Cat, ClockDomain, ClockSignal, DomainRenamer, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.cdc import FFSynchronizer, ResetSynchronizer
from amaranth.lib.fifo import AsyncFIFOBuffered
from amaranth.lib.wiring import In

__all__ = ["ClockCrossing"]

# Powers of two, and the register at the output.
CONTROL_DEPTH = 2 + 1
STREAM_DEPTH = 16 + 1


class ClockCrossing(wiring.Component):
    """A system with its host's ports on one clock, while it works on another.

    The clocks need no relation. Every channel goes through an asynchronous FIFO, the interrupt through two registers.
    The reset of the host's clock resets both sides and must last four cycles of the slower clock; nothing is taken
    until it has ended on both.

    The system's soft reset does not reach the FIFOs of the streams, each of which holds up to 17 rows: for the system
    they are rows that the host still offers, or has been given.

    Latency: a FIFO offers a value from the third edge on, after it was given, of the clock of the side that takes it.
    Throughput: a row a cycle of the slower clock. Back-pressure: a FIFO that is full takes nothing.

    Parameters
    ----------
    system : component
        With the ports of ``system_signature``.

    Members
    -------
    core_clk : :py:`In(1)`
        The clock of the system.
    control, stream_in, stream_out, partial_row, interrupt
        Ports of the system, on the domain ``sync``.
    """

    def __init__(self, system):
        self.system = system
        super().__init__({"core_clk": In(1), **system.signature.members})

    def elaborate(self, platform):
        m = Module()
        m.domains.core = ClockDomain("core", local=True)
        m.d.comb += ClockSignal("core").eq(self.core_clk)
        m.submodules.system = system = DomainRenamer("core")(self.system)
        m.submodules.core_reset = ResetSynchronizer(ResetSignal(), domain="core")
        closed = Signal(init=1)
        m.submodules.closed = FFSynchronizer(ResetSignal("core"), closed, init=1)
        interrupt = Signal()
        m.d.core += interrupt.eq(system.interrupt)
        m.submodules.interrupt = FFSynchronizer(interrupt, self.interrupt, reset_less=False)

        def cross(name, source, target, depth, *, to_core, extra=None):
            """Streams through a FIFO; returns what arrives beside the payload."""
            given = Value.cast(source.payload) if extra is None else Cat(source.payload, extra)
            domains = ("sync", "core") if to_core else ("core", "sync")
            m.submodules[name] = fifo = AsyncFIFOBuffered(
                width=len(given), depth=depth, w_domain=domains[0], r_domain=domains[1]
            )
            is_open = ~closed if to_core else 1
            m.d.comb += [
                fifo.w_data.eq(given),
                fifo.w_en.eq(source.valid & is_open),
                source.ready.eq(fifo.w_rdy & is_open),
                Value.cast(target.payload).eq(fifo.r_data),
                target.valid.eq(fifo.r_rdy),
                fifo.r_en.eq(target.ready),
            ]
            return fifo.r_data[len(Value.cast(target.payload)) :]

        for name in ("write_address", "write_data", "read_address"):
            outer, inner = getattr(self.control, name), getattr(system.control, name)
            cross(name, outer, inner, CONTROL_DEPTH, to_core=True)
        for name in ("write_response", "read_data"):
            outer, inner = getattr(self.control, name), getattr(system.control, name)
            cross(name, inner, outer, CONTROL_DEPTH, to_core=False)
        rows = system.stream_in
        partial = cross("rows_in", self.stream_in, rows, STREAM_DEPTH, to_core=True, extra=self.partial_row)
        m.d.comb += system.partial_row.eq(partial & rows.valid & rows.ready)
        cross("rows_out", system.stream_out, self.stream_out, STREAM_DEPTH, to_core=False)
        return m
