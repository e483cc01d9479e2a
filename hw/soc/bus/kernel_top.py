"""A system as a kernel of Vitis: registers, two masters of the global memory, one interrupt."""

from amaranth.hdl import Module, Shape
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .axi_lite_decoder import AxiLiteDecoder
from .axi_top import connect_clock
from .clock_crossing import ClockCrossing
from .data_mover_config import DataMoverConfig
from .data_movers import DataMovers
from .flat_ports import axi4_master, axi_lite_slave
from .interfaces import Interrupt, Reset
from .kernel_registers import MOVERS_ADDRESS, MOVERS_SIZE, kernel_address_map

__all__ = ["KernelTop"]


class KernelTop(wiring.Component):
    """A system as an RTL kernel of Vitis with the control protocol ``user_managed``.

    The host sees the system's registers, and those of the movers at 0x80: one map, ``address_map``. A program's rows
    come from the global memory by ``m_axi_gmem0`` and go there by ``m_axi_gmem1``, each row at a multiple of
    ``movers.row_bytes``.

    ::

        s_axi_control -> AxiLiteDecoder -+-> system
                                         +-> DataMovers --- m_axi_gmem0, m_axi_gmem1
                                                  ^ rows
                                                  v
                                               system

    Latency and throughput are those of the system and of :class:`.DataMovers`; an access to a register takes a cycle
    more than the system's own.

    Parameters
    ----------
    system : component
        With the ports of ``system_signature``, and a ``config`` that has the ``shell``.
    movers : DataMoverConfig or None
        For rows of the system's stream; None takes :meth:`.DataMoverConfig.of_rows`.
    core_clock : bool
        The system works on a clock of its own; all other ports belong to ``ap_clk``.

    Members
    -------
    ap_clk, ap_rst_n : :py:`In(1)`
        Clock, and reset while 0.
    ap_clk_2 : :py:`In(1)`
        The system's clock; absent without ``core_clock``.
    s_axi_control_aw*, s_axi_control_w*, s_axi_control_b*, s_axi_control_ar*, s_axi_control_r*
        AXI4-Lite: registers and program memory.
    m_axi_gmem0_*, m_axi_gmem1_*
        AXI4: the memory that is read, and that is written. The channels of the other direction are silent.
    interrupt : :py:`Out(1)`
        1 while an enabled bit of ``interrupt_status`` or ``movers_interrupt_status`` is.

    Attributes
    ----------
    address_map : AddressMap
        Address map of the whole kernel.
    interfaces, clocks, resets, interrupts
        What the ports are, for the package (:mod:`.interfaces`).

    Raises
    ------
    ValueError
        The system's register map does not end below 64 KiB, or the movers' rows are not the system's.
    """

    resets = (Reset(port="ap_rst_n", active_low=True, clock="ap_clk"),)
    interrupts = (Interrupt(port="interrupt", clock="ap_clk", reset="ap_rst_n"),)

    def __init__(self, system, *, movers=None, core_clock=False):
        width = Shape.cast(system.stream_in.payload.shape()).width - 1
        self.movers = DataMoverConfig.of_rows(width) if movers is None else movers
        if self.movers.row_width != width:
            raise ValueError(
                f"Rows of the movers must have the {width} bits of the system's, not {self.movers.row_width}"
            )
        self.address_map = kernel_address_map(system.config.shell.address_map)
        self.system = ClockCrossing(system) if core_clock else system
        self.clocks = ("ap_clk", "ap_clk_2") if core_clock else ("ap_clk",)
        owner = {"clock": "ap_clk", "reset": "ap_rst_n"}
        address_width = system.control.signature.address_width
        self._control = axi_lite_slave(
            "s_axi_control", address_width=address_width, description="Registers and program memory.", **owner
        )
        sizes = {
            "address_width": self.movers.address_width,
            "data_width": self.movers.data_width,
            "row_bytes": self.movers.row_bytes,
        }
        self._source = axi4_master(
            "m_axi_gmem0",
            description="Rows are read from it.",
            pointers=("source_address_low",),
            **sizes,
            **owner,
        )
        self._destination = axi4_master(
            "m_axi_gmem1",
            description="Rows are written to it.",
            pointers=("destination_address_low",),
            **sizes,
            **owner,
        )
        buses = (self._control, self._source, self._destination)
        self.interfaces = tuple(bus.interface for bus in buses)
        members = {clock: In(1) for clock in self.clocks} | {"ap_rst_n": In(1), "interrupt": Out(1)}
        for bus in buses:
            members |= bus.members
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        closed = connect_clock(m, self.ap_clk, self.ap_rst_n)
        m.submodules.system = system = self.system
        m.submodules.movers = movers = DataMovers(self.movers)
        m.submodules.decoder = decoder = AxiLiteDecoder(
            self.interfaces[0].address_width, base=MOVERS_ADDRESS, size=MOVERS_SIZE
        )
        if len(self.clocks) > 1:
            m.d.comb += system.core_clk.eq(self.ap_clk_2)
        self._control.connect_lite(m, self, decoder.control, closed)
        wiring.connect(m, decoder.block, movers.control)
        wiring.connect(m, decoder.rest, system.control)
        wiring.connect(m, movers.rows_in, system.stream_in)
        wiring.connect(m, system.stream_out, movers.rows_out)
        self._source.connect_read(m, self, movers.source)
        self._destination.connect_write(m, self, movers.destination)
        m.d.comb += self.interrupt.eq(system.interrupt | movers.interrupt)
        return m
