"""Values of several streams on one, and of one stream to several parts, cycle by cycle as the docstrings say.

Parameters: ``arbiters`` and ``dispatchers``, of each by its name how many streams it has.
"""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, compare_all, parameters, rng

VALUES = 100
STALLS = ((0.3, 0.3), (0.9, 0.0), (0.0, 0.9), (0.0, 0.0))


class Watched:
    """A stream in this cycle."""

    def __init__(self, dut, name):
        self.dut, self.name = dut, name

    def __getattr__(self, port):
        return int(getattr(self.dut, f"{self.name}__{port}").value)

    @property
    def moves(self):
        return self.valid and self.ready


class ArbiterBench:
    """An arbiter, and in which order its values have to come."""

    def __init__(self, dut, name, count):
        self.name, self.count = name, count
        self.clock, self.random = dut.clk, rng(name)
        self.sources = [StreamSource(dut, f"{name}__i__{number}") for number in range(count)]
        self.sink = StreamSink(dut, f"{name}__o")
        self.inputs = [Watched(dut, source.name) for source in self.sources]
        self.output = Watched(dut, self.sink.name)
        self.taken = []

    async def watch(self):
        """Who is taken in each cycle, and what the register holds in the next one."""
        last, register, cycle = self.count - 1, None, 0
        while True:
            await FallingEdge(self.clock)
            compare(register is not None, self.output.valid, f"{self.name}.o.valid", cycle)
            if register is not None:
                compare(register, self.output.payload, f"{self.name}.o", cycle)
            waiting = [(last + 1 + step) % self.count for step in range(self.count)]
            waiting = [number for number in waiting if self.inputs[number].valid]
            chosen = waiting[:1] if register is None or self.output.ready else []
            moving = [number for number, given in enumerate(self.inputs) if given.moves]
            compare(chosen, moving, f"{self.name}.i that is taken", cycle)
            if chosen:
                (last,) = chosen
                register = self.inputs[last].payload
                self.taken.append(register)
            elif self.output.ready:
                register = None
            cycle += 1

    async def check(self):
        """All values come, in the order in which they were taken."""
        for stall_in, self.sink.stall in STALLS:
            # One of the streams is in a hurry.
            eager = int(self.random.integers(self.count))
            for number, source in enumerate(self.sources):
                source.stall = 0 if number == eager else stall_in
                for value in self.random.integers(1 << 9, size=VALUES).tolist():
                    source.put(value)
            self.taken.clear()
            compare_all(self.taken, await self.sink.receive_all(VALUES * self.count), self.sink.name)


class DispatcherBench:
    """A dispatcher, and which part has to get each value."""

    def __init__(self, dut, name, count):
        self.name, self.clock, self.random = name, dut.clk, rng(name)
        self.source = StreamSource(dut, f"{name}__i")
        self.sinks = [StreamSink(dut, f"{name}__o__{number}") for number in range(count)]
        self.input = Watched(dut, self.source.name)
        self.outputs = [Watched(dut, sink.name) for sink in self.sinks]

    async def watch(self):
        """Who gets a value in each cycle."""
        cycle = 0
        while True:
            await FallingEdge(self.clock)
            willing = [number for number, part in enumerate(self.outputs) if part.ready]
            compare(bool(willing), self.input.ready, f"{self.name}.i.ready", cycle)
            chosen = willing[:1] if self.input.valid else []
            compare(chosen, [number for number, part in enumerate(self.outputs) if part.valid], self.name, cycle)
            if chosen:
                compare(self.input.payload, self.outputs[chosen[0]].payload, f"{self.name}.o[{chosen[0]}]", cycle)
            cycle += 1

    async def check(self):
        """Each value comes once."""
        for self.source.stall, stall_out in STALLS:
            for sink in self.sinks:
                sink.stall = stall_out
            for value in range(VALUES):
                await self.source.send(value)
            got = [value for sink in self.sinks for value in await sink.receive_all(len(sink))]
            compare_all(list(range(VALUES)), sorted(got), self.name)


async def check_all(dut, kind, benches):
    """All of a kind at once."""
    benches = [kind(dut, name, count) for name, count in benches.items()]
    await clock_and_reset(dut)
    for bench in benches:
        cocotb.start_soon(bench.watch())
    for task in [cocotb.start_soon(bench.check()) for bench in benches]:
        await task


@cocotb.test()
async def arbiters_take_values_in_turn(dut):
    await check_all(dut, ArbiterBench, parameters()["arbiters"])


@cocotb.test()
async def dispatchers_give_each_value_to_the_first_that_takes_one(dut):
    await check_all(dut, DispatcherBench, parameters()["dispatchers"])


@cocotb.test()
async def nothing_moves_while_nobody_takes(dut):
    arbiters = [ArbiterBench(dut, name, count) for name, count in parameters()["arbiters"].items()]
    dispatchers = [DispatcherBench(dut, name, count) for name, count in parameters()["dispatchers"].items()]
    for sink in [bench.sink for bench in arbiters] + [sink for bench in dispatchers for sink in bench.sinks]:
        sink.stall = 1
    await clock_and_reset(dut)
    sources = [source for bench in arbiters for source in bench.sources] + [bench.source for bench in dispatchers]
    for source in sources:
        source.put(1)
        source.put(2)
    for _ in range(50):
        await RisingEdge(dut.clk)
    # An arbiter's register holds a value.
    compare([1] * len(arbiters), [sum(source.count for source in bench.sources) for bench in arbiters], "taken", 0)
    compare([0] * len(dispatchers), [bench.source.count for bench in dispatchers], "taken", 1)
