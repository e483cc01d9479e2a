"""Small units for the tests of harnesses."""

from amaranth.hdl import Module, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out


class Accumulate(wiring.Component):
    """Signs, full width, several outputs of one latency; ``count`` is what an undisturbed start gives."""

    a: In(signed(5))
    b: In(64)
    sum: Out(signed(7))
    flipped: Out(64)
    count: Out(8)
    latency = 2

    def elaborate(self, platform):
        m = Module()
        a, b = Signal.like(self.a), Signal.like(self.b)
        m.d.sync += [
            a.eq(self.a),
            b.eq(self.b),
            self.sum.eq(a + a),
            self.flipped.eq(~b),
            self.count.eq(self.count + 1),
        ]
        return m


class Invert(wiring.Component):
    """Without a clock."""

    a: In(9)
    result: Out(9)
    latency = 0

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.result.eq(~self.a)
        return m


class Wide(wiring.Component):
    """With a port that is too wide."""

    a: In(65)
    latency = 0


class Streaming(wiring.Component):
    """With a port that is no value."""

    a: In(stream.Signature(8))
    latency = 0


class Add(wiring.Component):
    """Streams and plain values, narrow and wide: ``results`` are terms plus ``offset``, ``taken`` says how many."""

    terms: In(stream.Signature(70))
    others: In(stream.Signature(5))
    results: Out(stream.Signature(70))
    offset: In(40)
    taken: Out(34)

    def elaborate(self, platform):
        m = Module()
        both = Signal()
        m.d.comb += [
            both.eq(self.terms.valid & self.others.valid & self.results.ready),
            self.terms.ready.eq(both),
            self.others.ready.eq(both),
            self.results.valid.eq(self.terms.valid & self.others.valid),
            self.results.payload.eq(self.terms.payload + self.others.payload + self.offset),
        ]
        m.d.sync += self.taken.eq(self.taken + both)
        return m


class Packed(wiring.Component):
    """With an array of ports."""

    words: In(4).array(2)
