"""Small circuits with all that a block can have: what a simulation in blocks is held to."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.replicated import replicated


class Stage(wiring.Component):
    """A register of a chain: ready goes through it against the stream, without a register between."""

    i: In(8)
    i_valid: In(1)
    i_ready: Out(1)
    o: Out(8)
    o_valid: Out(1)
    o_ready: In(1)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.i_ready.eq(~self.o_valid | self.o_ready)
        with m.If(self.i_ready):
            m.d.sync += [self.o_valid.eq(self.i_valid), self.o.eq(self.i + 1)]
        return m


class Blinker(wiring.Component):
    """Its register changes in every cycle, whatever its input; what it shows does only every other cycle."""

    lit: In(1)
    o: Out(4)

    def elaborate(self, platform):
        m = Module()
        phase = Signal(2)
        m.d.sync += [phase.eq(phase ^ 1), self.o.eq(Mux(self.lit, phase, 0))]
        return m


class Alarm(wiring.Component):
    """Rings long after its last input has changed."""

    start: In(1)
    ringing: Out(1)

    def elaborate(self, platform):
        m = Module()
        count = Signal(range(101))
        with m.If(self.start):
            m.d.sync += count.eq(100)
        with m.Elif(count != 0):
            m.d.sync += count.eq(count - 1)
        m.d.sync += self.ringing.eq(count == 1)
        return m


class Table(wiring.Component):
    """A memory: one output is a register, the other follows the address at once."""

    address: In(3)
    data: In(40)
    write: In(1)
    now: Out(40)
    later: Out(40)

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = words = memory.Memory(shape=40, depth=8, init=[3, 1 << 39])
        write, read, at_once = words.write_port(), words.read_port(), words.read_port(domain="comb")
        for port in (write, read, at_once):
            m.d.comb += port.addr.eq(self.address)
        m.d.comb += [write.data.eq(self.data), write.en.eq(self.write)]
        m.d.comb += [self.now.eq(at_once.data), self.later.eq(read.data)]
        return m


class Inner(wiring.Component):
    """Blocks in a block: three stages, a blinker and an alarm."""

    i: In(8)
    i_valid: In(1)
    i_ready: Out(1)
    o: Out(8)
    o_valid: Out(1)
    o_ready: In(1)
    start: In(1)
    seen: Out(6)

    def elaborate(self, platform):
        m = Module()
        stages = [replicated(Stage(), key=()) for _ in range(3)]
        for index, stage in enumerate(stages):
            m.submodules[f"stage_{index}"] = stage
        m.submodules.blinker = blinker = replicated(Blinker(), key=())
        m.submodules.alarm = alarm = replicated(Alarm(), key=())
        m.d.comb += [stages[0].i.eq(self.i), stages[0].i_valid.eq(self.i_valid), self.i_ready.eq(stages[0].i_ready)]
        for one, other in zip(stages, stages[1:], strict=False):
            m.d.comb += [other.i.eq(one.o), other.i_valid.eq(one.o_valid), one.o_ready.eq(other.i_ready)]
        m.d.comb += [self.o.eq(stages[-1].o), self.o_valid.eq(stages[-1].o_valid), stages[-1].o_ready.eq(self.o_ready)]
        m.d.comb += [blinker.lit.eq(self.i[0]), alarm.start.eq(self.start)]
        m.d.comb += self.seen.eq(Cat(blinker.o, alarm.ringing, alarm.start))
        return m


class Circuit(wiring.Component):
    """All of them; ``wide`` has 80 bits and goes through a block without a register."""

    i: In(8)
    i_valid: In(1)
    o_ready: In(1)
    start: In(1)
    write: In(1)
    data: In(40)
    i_ready: Out(1)
    o: Out(8)
    o_valid: Out(1)
    seen: Out(6)
    now: Out(40)
    later: Out(40)
    wide: Out(64)

    latency = 0

    def elaborate(self, platform):
        m = Module()
        first, second = replicated(Inner(), key=()), replicated(Inner(), key=())
        m.submodules.first, m.submodules.second = first, second
        m.submodules.table = table = replicated(Table(), key=())
        m.submodules.adder = adder = replicated(Adder(), key=())
        for name in ("i", "i_valid", "start"):
            m.d.comb += getattr(first, name).eq(getattr(self, name))
        m.d.comb += [second.i.eq(first.o), second.i_valid.eq(first.o_valid), first.o_ready.eq(second.i_ready)]
        m.d.comb += [self.i_ready.eq(first.i_ready), self.o.eq(second.o), self.o_valid.eq(second.o_valid)]
        m.d.comb += [second.o_ready.eq(self.o_ready), second.start.eq(first.seen[4])]
        # The table's data of this cycle are the address of nothing: they only look like a loop.
        m.d.comb += [table.address.eq(self.i[:3]), table.data.eq(self.data), table.write.eq(self.write)]
        m.d.comb += [self.now.eq(table.now), self.later.eq(table.later), self.seen.eq(second.seen ^ first.seen)]
        m.d.comb += [
            adder.a.eq(Cat(table.now, self.data)),
            adder.b.eq(table.later),
            self.wide.eq(adder.o[:64] ^ adder.o[16:]),
        ]
        return m


class Adder(wiring.Component):
    """No register at all."""

    a: In(80)
    b: In(80)
    o: Out(80)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.o.eq(self.a + self.b)
        return m
