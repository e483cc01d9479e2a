"""Small components for the tests of the bench helpers."""

from amaranth.hdl import Module, Shape, Signal, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

REQUEST = data.StructLayout({"left": signed(9), "right": data.ArrayLayout(unsigned(5), 3)})
SUM = signed(11)


class Adder(wiring.Component):
    """Adds ``left`` and all of ``right``, one register of latency.

    ``mistake`` breaks one rule, so that the tests can see that the helpers notice: ``"value"`` adds one too much
    for one value of ``left``, ``"unstable"`` changes the payload while it waits, ``"withdrawn"`` takes valid back,
    ``"lost"`` never answers, ``"stuck"`` takes nothing.
    """

    def __init__(self, mistake: str = ""):
        self.mistake = mistake
        super().__init__({"requests": In(stream.Signature(REQUEST)), "results": Out(stream.Signature(SUM))})

    def elaborate(self, platform):
        m = Module()
        request, results = self.requests.payload, self.results
        total = request.left + request.right[0] + request.right[1] + request.right[2]
        if self.mistake == "value":
            total = total + (request.left == 77)
        m.d.comb += self.requests.ready.eq((~results.valid | results.ready) & (self.mistake != "stuck"))
        with m.If(self.requests.ready):
            m.d.sync += results.valid.eq(self.requests.valid & (self.mistake != "lost"))
            with m.If(self.requests.valid):
                m.d.sync += results.payload.eq(total)
        with m.Else():
            if self.mistake == "unstable":
                m.d.sync += results.payload.eq(results.payload + 1)
            if self.mistake == "withdrawn":
                m.d.sync += results.valid.eq(0)
        return m


class Counter(wiring.Component):
    """Counts the cycles in which ``enable`` is 1.

    Parameters
    ----------
    reset_less : bool
        Leave out the reset, which nobody sees who starts from power-on.
    """

    def __init__(self, reset_less: bool = False):
        self.reset_less = reset_less
        super().__init__({"enable": In(1), "count": Out(8)})

    def elaborate(self, platform):
        m = Module()
        count = Signal(8, reset_less=self.reset_less)
        m.d.comb += self.count.eq(count)
        with m.If(self.enable):
            m.d.sync += count.eq(count + 1)
        return m


class Doubler(wiring.Component):
    """Doubles, without a clock."""

    value: In(unsigned(7))
    double: Out(unsigned(8))

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.double.eq(self.value << 1)
        return m


assert Shape.cast(REQUEST).width == 24
