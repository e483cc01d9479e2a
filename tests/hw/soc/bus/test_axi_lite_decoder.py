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


KINDS = {
    "write": (("write_address", "write_data"), "write_response"),
    "read": (("read_address",), "read_data"),
}


def word(channel):
    """A channel's payload as bits."""
    return Value.cast(channel.payload)


def draw(random, channel):
    return int(random.integers(1 << len(word(channel))))


async def send(ctx, random, channel, sent):
    """Payloads at random, one after the other and now and then at once; without valid they are noise."""
    while True:
        for _ in range(int(random.integers(4))):
            ctx.set(word(channel), draw(random, channel))
            await ctx.tick()
        payload = draw(random, channel)
        await offer(ctx, channel, payload)
        sent.append(payload)


async def offer(ctx, channel, payload):
    """Send one payload."""
    ctx.set(word(channel), payload)
    ctx.set(channel.valid, 1)
    taken = False
    while not taken:
        _, _, taken = await ctx.tick().sample(channel.ready)
    ctx.set(channel.valid, 0)


async def serve(ctx, random, slave, kind, seen):
    """Be a slave that is ready when it likes to be and answers at random; what it was asked, and its answer."""
    requests, answers = KINDS[kind]
    channels, answer = [getattr(slave, name) for name in requests], getattr(slave, answers)
    while True:
        got, given, taken = {}, None, False
        while not taken:
            ready = random.integers(2, size=len(channels)).tolist()
            for channel, is_ready in zip(channels, ready, strict=True):
                ctx.set(channel.ready, is_ready)
            ctx.set(answer.valid, given is not None)
            ctx.set(word(answer), draw(random, answer) if given is None else given)
            offered = [value for channel in channels for value in (channel.valid, word(channel))]
            _, _, answer_ready, *values = await ctx.tick().sample(answer.ready, *offered)
            taken = given is not None and answer_ready
            for place, is_ready in enumerate(ready):
                valid, payload = values[2 * place : 2 * place + 2]
                if is_ready and valid:
                    assert place not in got, f"{requests[place]} twice"
                    got[place] = payload
            if given is None and len(got) == len(channels) and random.random() < 0.3:
                given = draw(random, answer)
                seen.append(([got[place] for place in range(len(channels))], given))
        ctx.set(answer.valid, 0)


def test_slaves_of_any_speed_get_what_is_theirs():
    """Reads beside writes, requests before the last answer is taken, data before addresses, slaves that wait."""
    decoder, random = AxiLiteDecoder(WIDTH, base=BASE, size=SIZE), np.random.default_rng(5)
    slaves = {"block": decoder.block, "rest": decoder.rest}
    sent = {name: [] for requests, _ in KINDS.values() for name in requests}
    seen = {(name, kind): [] for name in slaves for kind in KINDS}
    background, done = [], []

    def go(function, *arguments):
        async def process(ctx):
            await function(ctx, random, *arguments)

        background.append(process)

    for name, payloads in sent.items():
        go(send, getattr(decoder.control, name), payloads)
    for (name, kind), accesses in seen.items():
        go(serve, slaves[name], kind, accesses)

    async def take(ctx, random, kind):
        requests, answers = KINDS[kind]
        channel = getattr(decoder.control, answers)
        for number in range(200):
            ready = 0
            for _ in range(100):
                ready = int(random.integers(2))
                ctx.set(channel.ready, ready)
                both = [getattr(slave, answers).ready for slave in slaves.values()]
                waiting = getattr(decoder.control, requests[0]).ready
                _, _, valid, got, first, second, taken = await ctx.tick().sample(
                    channel.valid, word(channel), *both, waiting
                )
                assert not (first and second), "an answer of the slave that has not got the request would be taken"
                assert not (valid and taken), "a request is taken before the last answer"
                if ready and valid:
                    break
            else:
                raise AssertionError(f"no answer to {kind} {number}")
            asked = [sent[name][number] for name in requests]
            in_block = BASE <= asked[0] < BASE + SIZE
            expected = [asked[0] % SIZE if in_block else asked[0], *asked[1:]]
            assert seen["block" if in_block else "rest", kind].pop(0) == (expected, got), (kind, number)
            assert not any(seen[name, kind] for name in slaves), "an access that nobody asked for"
        done.append(kind)

    async def host(ctx):
        while len(done) < len(KINDS):
            await ctx.tick()

    for kind in KINDS:
        go(take, kind)
    run(decoder, host, *background)


def test_blocks_are_checked():
    with pytest.raises(ValueError, match="Size of the block must be a power of two, not 12"):
        AxiLiteDecoder(WIDTH, base=0, size=12)
    with pytest.raises(ValueError, match="Base of the block must be from 0 to 48 and a multiple of 16, not 8"):
        AxiLiteDecoder(WIDTH, base=8, size=16)
