"""Tiny cores for the test of mutation testing, with tests that see much and tests that see little.

Not collected by itself: its file is named to pytest by whoever wants it.
"""

import numpy as np
from amaranth.hdl import ClockDomain, ClockSignal, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from rewardware.hw.cores.memory.config import MemoryConfig
from rewardware.hw.cores.memory.memory import Memory
from rewardware.hw.cores.memory.ports import WritePort
from rewardware.sim.cocotb import simulate
from rewardware.sim.harness.vectors import evaluate


class Maximum(wiring.Component):
    """The larger of two numbers; the last term changes nothing."""

    latency = 0

    def __init__(self):
        super().__init__({"a": In(3), "b": In(3), "result": Out(3)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.result.eq(Mux(self.a > self.b, self.a, self.b) | (self.a & self.b))
        return m


class NamedAlike(wiring.Component):
    """An instance, and a signal that already has its name."""

    def __init__(self):
        super().__init__({"a": In(3), "b": In(3), "part": Out(3)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.part = part = Maximum()
        m.d.comb += [part.a.eq(self.a), part.b.eq(self.b), self.part.eq(part.result)]
        return m


class LateCounter(wiring.Component):
    """``late`` once that many cycles were counted."""

    def __init__(self, cycles):
        self.cycles = cycles
        super().__init__({"late": Out(1)})

    def elaborate(self, platform):
        m = Module()
        count = Signal(range(self.cycles + 1))
        m.d.comb += self.late.eq(count == self.cycles)
        with m.If(~self.late):
            m.d.sync += count.eq(count + 1)
        return m


class Sampled(wiring.Component):
    """A bit behind a register with an asynchronous reset."""

    def __init__(self):
        super().__init__({"clear": In(1), "a": In(1), "b": In(1), "held": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.domains.cleared = cleared = ClockDomain(async_reset=True, local=True)
        m.d.comb += [cleared.clk.eq(ClockSignal()), cleared.rst.eq(self.clear)]
        m.d.cleared += self.held.eq(self.a & self.b)
        return m


class AroundSampled(wiring.Component):
    """Such a part, twice, with a number before it that a term does not change."""

    def __init__(self):
        super().__init__({"clear": In(1), "a": In(1), "b": In(1), "held": Out(2)})

    def elaborate(self, platform):
        m = Module()
        either = Signal()
        m.d.comb += either.eq(self.a | (self.a & self.b))
        for number in range(2):
            m.submodules[f"part_{number}"] = part = Sampled()
            m.d.comb += [
                part.clear.eq(self.clear),
                part.a.eq(either),
                part.b.eq(self.b),
                self.held[number].eq(part.held),
            ]
        return m


class Gate(wiring.Component):
    """A payload that is another one while it is not valid, and a row while it is not written."""

    def __init__(self):
        super().__init__(
            {"open": In(1), "a": In(2), "b": In(2), "o": Out(stream.Signature(2)), "row": Out(WritePort(2, 4))}
        )

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [self.o.valid.eq(self.open), self.o.payload.eq(Mux(self.open, self.a, self.b))]
        m.d.comb += [self.row.enable.eq(self.open), self.row.data.eq(Mux(self.open, self.b, self.a))]
        return m


class Square(wiring.Component):
    """The square of a sum by two ways, and after a cycle whether they differ, which they never do."""

    def __init__(self, width):
        self.width = width
        super().__init__({"a": In(width), "b": In(width), "differ": Out(1)})

    def elaborate(self, platform):
        m = Module()
        wrong = Signal()
        m.d.comb += wrong.eq((self.a + self.b) * (self.a - self.b) != self.a * self.a - self.b * self.b)
        m.d.sync += self.differ.eq(wrong)
        return m


class Store(wiring.Component):
    """A memory that is too large for a checker, written with a number that the last term does not change."""

    def __init__(self):
        super().__init__({"a": In(12), "b": In(12), "data": Out(12)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(12, MemoryConfig(depth=4096))
        m.d.comb += [
            memory.write.address.eq(self.a),
            memory.write.data.eq(self.b | (self.a & self.b)),
            memory.write.enable.eq(1),
            memory.reads[0].address.eq(self.b),
            memory.reads[0].enable.eq(1),
            self.data.eq(memory.reads[0].data),
        ]
        return m


def check(a, b):
    np.testing.assert_array_equal(evaluate(Maximum(), {"a": a, "b": b})["result"], np.maximum(a, b))


def test_all_pairs():
    check(np.repeat(np.arange(8), 8), np.tile(np.arange(8), 8))


def test_equal_numbers():
    check(np.arange(8), np.arange(8))


def test_in_a_bench():
    simulate(Maximum(), bench="tests.mutate.bench_example")


def simulate_with_amaranth(component, bench):
    simulator = Simulator(component)
    if not isinstance(component, Maximum):
        simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_with_amaranth():
    component = Maximum()

    async def bench(ctx):
        for a in range(8):
            for b in range(8):
                ctx.set(component.a, a)
                ctx.set(component.b, b)
                await ctx.delay(1e-6)
                assert ctx.get(component.result) == max(a, b)

    simulate_with_amaranth(component, bench)


def test_memory_with_amaranth():
    component = Store()

    async def bench(ctx):
        for place in (5, 4095, 0):
            ctx.set(component.a, place)
            ctx.set(component.b, place ^ 0xA5)
            await ctx.tick()
            # The address is read where it was just written.
            ctx.set(component.a, place ^ 1)
            ctx.set(component.b, place)
            await ctx.tick()
            assert ctx.get(component.data) == place ^ 0xA5

    simulate_with_amaranth(component, bench)


def test_without_end_if_wrong():
    wrong = evaluate(Maximum(), {"a": 3, "b": 5})["result"][0] != 5
    while wrong:
        pass


def test_without_end_in_a_bench():
    simulate(Maximum(), bench="tests.mutate.bench_example", tests="without_end_if_wrong")


def test_that_fails():
    check(np.array([1]), np.array([8]))


def test_of_nothing():
    assert Maximum().latency == 0
