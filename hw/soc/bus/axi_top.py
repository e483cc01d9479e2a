"""Flat, AXI-named ports around a system: what Vivado, Quartus and cocotbext-axi recognise."""

from amaranth.hdl import ClockDomain, ClockSignal, Module, ResetSignal, Shape, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .interfaces import BusInterface, Interrupt, Reset

__all__ = ["AxiTop"]


class AxiTop(wiring.Component):
    """A system as a block for vendor tools: one clock, active-low reset, AXI4-Lite, two AXI4-Streams, one interrupt.

    Latency and throughput are the system's: this is wires. The reset goes through a register, which may be placed where
    its many loads are; nothing is taken from the host in the cycle that it lags behind.

    Parameters
    ----------
    system : component
        With the ports of ``system_signature``.

    Members
    -------
    aclk, aresetn : :py:`In(1)`
        Clock, and reset while 0.
    s_axi_ctrl_aw*, s_axi_ctrl_w*, s_axi_ctrl_b*, s_axi_ctrl_ar*, s_axi_ctrl_r*
        AXI4-Lite: registers and program memory.
    s_axis_tdata, s_axis_tlast, s_axis_tvalid, s_axis_tready
        Rows from the host.
    m_axis_tdata, m_axis_tlast, m_axis_tvalid, m_axis_tready
        Rows to the host.
    interrupt : :py:`Out(1)`
        1 while an enabled bit of the interrupt status is.

    Attributes
    ----------
    interfaces, clocks, resets, interrupts
        What the ports are, for the package (:mod:`.interfaces`).
    """

    clocks = ("aclk",)
    resets = (Reset(port="aresetn", active_low=True, clock="aclk"),)
    interrupts = (Interrupt(port="interrupt", clock="aclk", reset="aresetn"),)

    def __init__(self, system):
        self.system = system
        address = system.control.signature.address_width
        width = Shape.cast(system.stream_in.payload.shape()).width - 1
        members = {"aclk": In(1), "aresetn": In(1)}
        for channel, payload in (
            ("aw", {"addr": address, "prot": 3}),
            ("w", {"data": 32, "strb": 4}),
            ("b", {"resp": 2}),
            ("ar", {"addr": address, "prot": 3}),
            ("r", {"data": 32, "resp": 2}),
        ):
            forward, backward = (Out, In) if channel in "br" else (In, Out)
            members |= {f"s_axi_ctrl_{channel}{name}": forward(bits) for name, bits in payload.items()}
            members |= {f"s_axi_ctrl_{channel}valid": forward(1), f"s_axi_ctrl_{channel}ready": backward(1)}
        for port, forward, backward in (("s_axis", In, Out), ("m_axis", Out, In)):
            members |= {f"{port}_tdata": forward(width), f"{port}_tlast": forward(1)}
            members |= {f"{port}_tvalid": forward(1), f"{port}_tready": backward(1)}
        self.interfaces = tuple(
            BusInterface(
                name=name,
                protocol=protocol,
                mode=mode,
                ports={port.removeprefix(f"{name}_").upper(): port for port in members if port.startswith(f"{name}_")},
                clock="aclk",
                reset="aresetn",
                data_width=data_width,
                address_width=address_width,
                description=description,
            )
            for name, protocol, mode, data_width, address_width, description in (
                ("s_axi_ctrl", "axi4lite", "slave", 32, address, "Registers and program memory."),
                ("s_axis", "axi4stream", "slave", width, 0, "Rows from the host."),
                ("m_axis", "axi4stream", "master", width, 0, "Rows to the host."),
            )
        )
        members["interrupt"] = Out(1)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain()
        m.domains.without_reset = without_reset = ClockDomain("without_reset", reset_less=True)
        reset = Signal(init=1)
        m.d.without_reset += reset.eq(~self.aresetn)
        m.submodules.system = system = self.system
        control = system.control
        m.d.comb += [
            ClockSignal().eq(self.aclk),
            without_reset.clk.eq(self.aclk),
            ResetSignal().eq(reset),
            self.interrupt.eq(system.interrupt),
        ]

        def into(port, inner, **payload):
            m.d.comb += [
                inner.valid.eq(getattr(self, f"{port}valid")),
                getattr(self, f"{port}ready").eq(inner.ready & ~reset),
            ]
            m.d.comb += [value.eq(getattr(self, f"{port}{name}")) for name, value in payload.items()]

        def out_of(port, inner, **payload):
            m.d.comb += [getattr(self, f"{port}valid").eq(inner.valid), inner.ready.eq(getattr(self, f"{port}ready"))]
            m.d.comb += [getattr(self, f"{port}{name}").eq(value) for name, value in payload.items()]

        into("s_axi_ctrl_aw", control.write_address, addr=control.write_address.payload)
        written = control.write_data.payload
        into("s_axi_ctrl_w", control.write_data, data=written.data, strb=written.strobe)
        out_of("s_axi_ctrl_b", control.write_response, resp=control.write_response.payload)
        into("s_axi_ctrl_ar", control.read_address, addr=control.read_address.payload)
        got = control.read_data.payload
        out_of("s_axi_ctrl_r", control.read_data, data=got.data, resp=got.response)
        arriving, leaving = system.stream_in.payload, system.stream_out.payload
        into("s_axis_t", system.stream_in, data=arriving.data, last=arriving.last)
        out_of("m_axis_t", system.stream_out, data=leaving.data, last=leaving.last)
        return m
