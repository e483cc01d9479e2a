"""The rules of AXI4-Lite as properties, for proof by induction."""

from amaranth.hdl import Assert, Assume, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from rewardware.hw.soc.bus.axi_lite import AxiLiteSignature
from tests.hw.formal import stays


class AxiLiteProperties(wiring.Component):
    """A slave with a master that keeps the rules and is otherwise free; the ports are the solver's to choose."""

    def __init__(self, slave):
        self.slave = slave
        super().__init__({"control": In(AxiLiteSignature(slave.address_width)), "okay": In(2), "data": In(32)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.slave = slave = self.slave
        control = slave.control
        wiring.connect(m, wiring.flipped(self.control), control)
        m.d.comb += [Cat(slave.read.okay, slave.write.okay).eq(self.okay), slave.read.data.eq(self.data)]
        for name in ("write_address", "write_data", "read_address"):
            stays(m, getattr(control, name), name, Assume)
        for name in ("write_response", "read_data"):
            stays(m, getattr(control, name), name, Assert)

        def fired(channel):
            return channel.valid & channel.ready

        # One response a request, never one too early, at most one request under way.
        addresses, datas, executed = Signal(2), Signal(2), Signal(2)
        m.d.sync += [
            addresses.eq(addresses + fired(control.write_address) - fired(control.write_response)),
            datas.eq(datas + fired(control.write_data) - fired(control.write_response)),
            executed.eq(executed + slave.write.enable - fired(control.write_response)),
        ]
        m.d.comb += [
            Assert(addresses == ~control.write_address.ready),
            Assert(datas == ~control.write_data.ready),
            Assert(executed == control.write_response.valid),
        ]
        with m.If(control.write_response.valid):
            m.d.comb += Assert((addresses == 1) & (datas == 1) & (executed == 1))
        with m.If(slave.write.enable):
            m.d.comb += Assert((addresses == 1) & (datas == 1) & (executed == 0))

        reads, accesses = Signal(2), Signal(2)
        m.d.sync += [
            reads.eq(reads + fired(control.read_address) - fired(control.read_data)),
            accesses.eq(accesses + slave.read.enable - fired(control.read_data)),
        ]
        m.d.comb += [Assert(reads == ~control.read_address.ready), Assert(accesses == control.read_data.valid)]
        with m.If(control.read_data.valid):
            m.d.comb += Assert((reads == 1) & (accesses == 1))
        with m.If(slave.read.enable):
            m.d.comb += Assert((reads == 1) & (accesses == 0))

        # Nothing is forgotten: what was taken is answered within three cycles.
        for name, pending, answered in (
            ("write", (addresses == 1) & (datas == 1), control.write_response.valid),
            ("read", reads == 1, control.read_data.valid),
        ):
            waited = Signal(2, name=f"{name}_waited")
            with m.If(pending & ~answered):
                m.d.sync += waited.eq(waited + 1)
            with m.Else():
                m.d.sync += waited.eq(0)
            m.d.comb += Assert(waited <= 2)
        return m
