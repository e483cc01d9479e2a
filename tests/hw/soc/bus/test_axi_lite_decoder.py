"""Every access reaches the slave of its address, and is answered once: proved, whatever the master does."""

import numpy as np
import pytest
from amaranth.hdl import Assert, Assume, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from rewardware.hw.soc.bus.axi_lite import AxiLiteSignature, AxiLiteSlave, Response
from rewardware.hw.soc.bus.axi_lite_decoder import AxiLiteDecoder
from tests.hw.formal import prove, stays
from tests.hw.simulation import run

from .axi_lite_host import access, answer_anyhow

WIDTH, BASE, SIZE = 6, 0x20, 0x10
# Cycles from a whole request, its address taken the cycle before, to its response.
LIMIT = AxiLiteDecoder(WIDTH, base=BASE, size=SIZE).latency + AxiLiteSlave(WIDTH).latency - 1


class DecoderProperties(wiring.Component):
    """Two slaves behind the decoder: that of the block answers all accesses well, the other one none."""

    def __init__(self):
        super().__init__({"control": In(AxiLiteSignature(WIDTH))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = AxiLiteDecoder(WIDTH, base=BASE, size=SIZE)
        m.submodules.block = block = AxiLiteSlave(4)
        m.submodules.rest = rest = AxiLiteSlave(WIDTH)
        control = decoder.control
        wiring.connect(m, wiring.flipped(self.control), control)
        wiring.connect(m, decoder.block, block.control)
        wiring.connect(m, decoder.rest, rest.control)
        m.d.comb += [block.write.okay.eq(1), block.read.okay.eq(1)]
        for name in ("write_address", "write_data", "read_address"):
            stays(m, getattr(control, name), name, Assume)
        for name in ("write_response", "read_data"):
            stays(m, getattr(control, name), name, Assert)

        for kind in ("write", "read"):
            request = getattr(control, f"{kind}_address")
            response = control.write_response if kind == "write" else control.read_data
            answer = response.payload if kind == "write" else response.payload.response
            asked, whole = Signal(name=f"{kind}_asked"), Signal(name=f"{kind}_whole")
            address, waited = Signal(WIDTH, name=f"{kind}_to"), Signal(range(LIMIT + 2), name=f"{kind}_waited")
            taken, answered = request.valid & request.ready, response.valid & response.ready
            with m.If(taken):
                m.d.sync += [asked.eq(1), address.eq(request.payload)]
            with m.Elif(answered):
                m.d.sync += asked.eq(0)
            m.d.comb += [Assert(asked == ~request.ready), Assert(asked | ~response.valid)]
            if kind == "write":
                data, given = control.write_data, Signal()
                with m.If(data.valid & data.ready):
                    m.d.sync += given.eq(1)
                with m.Elif(answered):
                    m.d.sync += given.eq(0)
                m.d.comb += [
                    whole.eq(asked & (given | data.valid)),
                    Assert(asked | ~given),
                    Assert(given | ~response.valid),
                    Assert(data.ready == (asked & ~given)),
                    Assert(~asked | (decoder.write_data_given == given)),
                ]
            # The decoder shows both slaves where it is asked to.
            m.d.comb += Assert(~asked | (getattr(rest.control, f"{kind}_address").payload == address))
            in_block = (address >= BASE) & (address < BASE + SIZE)
            with m.If(response.valid):
                m.d.comb += Assert(Value.cast(answer) == Mux(in_block, Response.OKAY, Response.SLAVE_ERROR))
            m.d.sync += waited.eq(Mux(whole & ~response.valid, waited + 1, 0))
            m.d.comb += [Assert(waited <= LIMIT), Assert((waited == 0) | whole)]
            # For the induction: a slave that was asked nothing is idle, the other one has what the decoder gave it.
            for index, slave in enumerate((rest, block)):
                inner = getattr(slave.control, f"{kind}_address")
                out = slave.control.write_response if kind == "write" else slave.control.read_data
                enable = getattr(slave, kind).enable
                with m.If(asked & (in_block == index)):
                    m.d.comb += [Assert(inner.valid == inner.ready), Assert(~(out.valid & enable))]
                    m.d.comb += Assert(~(out.valid | enable) | ~inner.ready)
                    if kind == "write":
                        ready = slave.control.write_data.ready
                        m.d.comb += [Assert(ready == ~given), Assert(~(out.valid | enable) | ~ready)]
                        # A slave may be one that would take a word too many.
                        m.d.comb += Assert(slave.control.write_data.valid == (data.valid & ~given))
                with m.Else():
                    m.d.comb += Assert(inner.ready & ~out.valid & ~enable)
                    if kind == "write":
                        m.d.comb += Assert(slave.control.write_data.ready & ~slave.control.write_data.valid)
        return m


def test_accesses_reach_their_slave(tmp_path):
    assert "successful proof by k-induction" in prove(DecoderProperties(), tmp_path, depth=12)


class TwoSlaves(wiring.Component):
    """Two slaves behind the decoder, whose registers a test answers for."""

    def __init__(self):
        self.decoder = AxiLiteDecoder(WIDTH, base=BASE, size=SIZE)
        self.slaves = {"block": AxiLiteSlave(SIZE.bit_length() - 1), "rest": AxiLiteSlave(WIDTH)}
        super().__init__({"control": In(AxiLiteSignature(WIDTH))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = self.decoder
        wiring.connect(m, wiring.flipped(self.control), decoder.control)
        for name, slave in self.slaves.items():
            m.submodules[name] = slave
            wiring.connect(m, getattr(decoder, name), slave.control)
        return m


def test_every_bit_goes_through():
    top, random, seen = TwoSlaves(), np.random.default_rng(5), []

    async def host(ctx):
        for number in range(200):
            address, expected = await access(ctx, random, top.control)
            name, first = ("block", BASE) if BASE <= address < BASE + SIZE else ("rest", 0)
            assert seen == [(name, (address - first) // 4, *expected)], number
            seen.clear()

    async def registers(ctx):
        await answer_anyhow(ctx, random, top.slaves, seen)

    run(top, host, registers)


def test_blocks_are_checked():
    with pytest.raises(ValueError, match="Size of the block must be a power of two, not 12"):
        AxiLiteDecoder(WIDTH, base=0, size=12)
    with pytest.raises(ValueError, match="Base of the block must be from 0 to 48 and a multiple of 16, not 8"):
        AxiLiteDecoder(WIDTH, base=8, size=16)
