"""Packets between somebody else and a part that is reset."""

import pytest
from amaranth.hdl import Assert, Assume, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from rewardware.hw.cores.stream.buffer_config import StreamBufferConfig
from rewardware.hw.cores.stream.packet import packet_signature
from rewardware.hw.cores.stream.packet_buffer import PacketIntake, PacketOutlet
from rewardware.sim.cocotb import simulate
from tests.hw.cores.side_by_side import SideBySide
from tests.hw.formal import prove, stays


def test_packets():
    units = {
        "intake": PacketIntake(16, StreamBufferConfig(depth=5)),
        "outlet": PacketOutlet(16, StreamBufferConfig(depth=7)),
    }
    assert [unit.latency for unit in units.values()] == [2, 2]
    simulate(SideBySide(units), bench="tests.hw.cores.stream.bench_packet_buffer", after_noise=True)


class OutletProperties(wiring.Component):
    """Whatever comes and whenever it is cleared: rows stay until they are taken, and packets that are cut off end."""

    def __init__(self, forgets=False):
        self.outlet = PacketOutlet(2, StreamBufferConfig(depth=2))
        self.forgets = forgets
        super().__init__({"clear": In(1), "i": In(packet_signature(2)), "ready": In(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.outlet = outlet = self.outlet
        wiring.connect(m, wiring.flipped(self.i), outlet.i)
        m.d.comb += [outlet.clear.eq(self.clear), outlet.o.ready.eq(self.ready | (self.forgets & self.clear))]
        taken, is_open, offered, old, pending = (
            Signal(name=name) for name in ("taken", "is_open", "offered", "old", "pending")
        )
        following = Signal()
        leaving = outlet.o
        if self.forgets:
            leaving = outlet.o.signature.create()
            m.d.comb += [
                leaving.payload.eq(outlet.o.payload),
                leaving.valid.eq(outlet.o.valid),
                leaving.ready.eq(self.ready),
            ]
        stays(m, leaving, "o", Assert)
        m.d.comb += [
            taken.eq(leaving.valid & leaving.ready),
            following.eq(is_open),
            Assert(outlet.is_open == is_open),
            Assert(outlet.ending == old),
            Assert(leaving.valid | ~old),
            Assert(outlet.closing == (old & ~pending)),
            Assert(~pending | old),
            Assert(~old | ((outlet.level == 0) == ~pending)),
        ]
        with m.If(taken):
            m.d.comb += following.eq(~leaving.payload.last)
        with m.If(old & leaving.valid & ~offered):
            m.d.comb += Assert(leaving.payload.last)
        m.d.sync += [is_open.eq(following), offered.eq(leaving.valid & ~taken)]
        with m.If(self.clear):
            m.d.sync += old.eq(following | (leaving.valid & ~taken))
            with m.If(~old | taken):
                m.d.sync += pending.eq(leaving.valid & ~taken)
        with m.Elif(taken):
            m.d.sync += [old.eq(old & following), pending.eq(0)]
        return m


def test_outlet_keeps_the_rules(tmp_path):
    assert "successful proof by k-induction" in prove(OutletProperties(), tmp_path)


def test_the_proof_finds_an_outlet_that_forgets(tmp_path):
    with pytest.raises(AssertionError, match="Assert failed|FAIL"):
        prove(OutletProperties(forgets=True), tmp_path)


class IntakeProperties(wiring.Component):
    """Whatever comes and whenever it is cleared: the rest of a packet that is cut off is taken and goes nowhere.

    Every other row is held once, so the part behind the intake, which is cleared with it, sees whole packets.
    """

    def __init__(self, forgets=False):
        self.intake = PacketIntake(2, StreamBufferConfig(depth=2))
        self.forgets = forgets
        super().__init__({"clear": In(1), "i": In(packet_signature(2)), "ready": In(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.intake = intake = self.intake
        wiring.connect(m, wiring.flipped(self.i), intake.i)
        stays(m, self.i, "i", Assume)
        is_open, entered_open, old, held = Signal(), Signal(), Signal(), Signal(range(4))
        m.d.comb += [
            intake.clear.eq(self.clear & ~(self.forgets & is_open)),
            intake.o.ready.eq(self.ready),
            Assert(intake.is_open == is_open),
            Assert(intake.ending == old),
            Assert(intake.level == held),
            Assert(~old | (intake.i.ready & is_open & ~entered_open)),
            Assert(old | (entered_open == is_open)),
        ]
        taken = self.i.valid & self.i.ready
        following = Signal()
        m.d.comb += following.eq(Mux(taken, ~self.i.payload.last, is_open))
        m.d.sync += is_open.eq(following)
        with m.If(self.clear):
            m.d.sync += [held.eq(0), old.eq(following), entered_open.eq(0)]
        with m.Else():
            enters = taken & ~old
            m.d.sync += [held.eq(held + enters - (intake.o.valid & self.ready)), old.eq(old & following)]
            with m.If(enters):
                m.d.sync += entered_open.eq(~self.i.payload.last)
        return m


def test_intake_gives_whole_packets(tmp_path):
    assert "successful proof by k-induction" in prove(IntakeProperties(), tmp_path)


def test_the_proof_finds_an_intake_that_keeps_what_was_cut_off(tmp_path):
    with pytest.raises(AssertionError, match="Assert failed|FAIL"):
        prove(IntakeProperties(forgets=True), tmp_path)
