"""Flat, AXI-named ports around a system: what Vivado, Quartus and cocotbext-axi recognise."""

from amaranth.hdl import ClockDomain, ClockSignal, Module, ResetSignal, Shape, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .clock_crossing import ClockCrossing
from .flat_ports import axi_lite_slave, axi_stream
from .interfaces import Interrupt, Reset

__all__ = ["AxiTop", "connect_clock"]


class AxiTop(wiring.Component):
    """A system as a block for vendor tools: clock, active-low reset, AXI4-Lite, two AXI4-Streams, one interrupt.

    Latency and throughput are the system's: this is wires. The reset goes through a register, which may be placed where
    its many loads are; nothing is taken from the host in the cycle that it lags behind.

    With ``core_clock`` the system stands behind a :class:`.ClockCrossing`.

    Parameters
    ----------
    system : component
        With the ports of ``system_signature``.
    core_clock : bool
        The system works on a clock of its own; all other ports belong to ``aclk``.

    Members
    -------
    aclk, aresetn : :py:`In(1)`
        Clock, and reset while 0.
    core_clk : :py:`In(1)`
        The system's clock; absent without ``core_clock``.
    s_axi_ctrl_aw*, s_axi_ctrl_w*, s_axi_ctrl_b*, s_axi_ctrl_ar*, s_axi_ctrl_r*
        AXI4-Lite: registers and program memory. An address has the bits that reach all of them.
    s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tvalid, s_axis_tready
        Rows from the host. A row without all bits of ``tkeep`` is taken as it is, and raises ``stream_underflow``.
    m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tvalid, m_axis_tready
        Rows to the host, with all bits of ``tkeep``.
    interrupt : :py:`Out(1)`
        1 while an enabled bit of the interrupt status is.

    Attributes
    ----------
    interfaces, clocks, resets, interrupts
        What the ports are, for the package (:mod:`.interfaces`).
    """

    resets = (Reset(port="aresetn", active_low=True, clock="aclk"),)
    interrupts = (Interrupt(port="interrupt", clock="aclk", reset="aresetn"),)

    def __init__(self, system, *, core_clock=False):
        self.system = ClockCrossing(system) if core_clock else system
        self.clocks = ("aclk", "core_clk") if core_clock else ("aclk",)
        address = system.control.signature.address_width
        width = Shape.cast(system.stream_in.payload.shape()).width - 1
        owner = {"clock": "aclk", "reset": "aresetn"}
        rows = {"data_width": width, **owner}
        self._control = axi_lite_slave(
            "s_axi_ctrl", address_width=address, description="Registers and program memory.", **owner
        )
        self._arriving = axi_stream("s_axis", comes_in=True, description="Rows from the host.", **rows)
        self._leaving = axi_stream("m_axis", comes_in=False, description="Rows to the host.", **rows)
        buses = (self._control, self._arriving, self._leaving)
        self.interfaces = tuple(bus.interface for bus in buses)
        members = {"aclk": In(1), "aresetn": In(1)}
        if core_clock:
            members["core_clk"] = In(1)
        for bus in buses:
            members |= bus.members
        members["interrupt"] = Out(1)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        closed = connect_clock(m, self.aclk, self.aresetn)
        m.submodules.system = system = self.system
        m.d.comb += self.interrupt.eq(system.interrupt)
        if len(self.clocks) > 1:
            m.d.comb += system.core_clk.eq(self.core_clk)
        self._control.connect_lite(m, self, system.control, closed)
        self._arriving.connect_stream(m, self, system.stream_in, closed)
        self._leaving.connect_stream(m, self, system.stream_out, closed)
        m.d.comb += system.partial_row.eq(self.s_axis_tvalid & self.s_axis_tready & ~self.s_axis_tkeep.all())
        return m


def connect_clock(m, clock, reset_n):
    """Make the domain ``sync`` of a top from its clock and its active-low reset.

    The reset goes through a register, which is returned.
    """
    m.domains.sync = ClockDomain()
    m.domains.without_reset = without_reset = ClockDomain("without_reset", reset_less=True)
    reset = Signal(init=1)
    m.d.without_reset += reset.eq(~reset_n)
    m.d.comb += [ClockSignal().eq(clock), without_reset.clk.eq(clock), ResetSignal().eq(reset)]
    return reset
