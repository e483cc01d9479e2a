"""Experiences through a half of attention, against the reference, and the cycles that they take.

Parameters: ``config``; ``half``, ``"forward"``, ``"backward"`` or ``"transposition"``; ``cycles``, from one experience
to the next.
"""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.attention.attention import attend, attend_backward, transposed
from rewardware.sw.reference.float import host
from tests.hw.cores.float.operands import extremes
from tests.hw.cores.layer.stimulus import numbers
from tests.hw.cores.transfer_cycles import TransferCycles

# The streams of each half, with the elements of a head that they carry, in the order of its reference.
HALVES = {
    "forward": (
        {"queries": "key_size", "keys": "key_size", "values": "value_size"},
        {"messages": "value_size", "weights": "others"},
        attend,
    ),
    "backward": (
        {
            "queries": "key_size",
            "keys": "key_size",
            "values": "value_size",
            "weights": "others",
            "message_errors": "value_size",
        },
        {"query_errors": "key_size", "key_errors": "key_size", "value_errors": "value_size"},
        attend_backward,
    ),
    "transposition": ({"i": "others"}, {"o": "others"}, lambda config, table: (transposed(table),)),
}
# Cycles in which something has to come out.
LIMIT = 100_000


class Bench:
    """A half, its streams and random experiences."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.arithmetic.format
        self.taken, self.given, self.reference = HALVES[parameters()["half"]]
        self.sources = {name: StreamSource(dut, name) for name in self.taken}
        self.sinks = {name: StreamSink(dut, name) for name in self.given}
        self.random = rng("experiences")

    def stall(self, taken, given):
        """How often sources and sinks wait."""
        for source in self.sources.values():
            source.stall = taken
        for sink in self.sinks.values():
            sink.stall = given

    def experiences(self, count):
        """Values of each stream, a quarter of those of other benches."""
        shape = count, self.config.agents, self.config.heads
        tables = (
            numbers(self.random, self.format, *shape, getattr(self.config, size)) * np.float32(0.25)
            for size in self.taken.values()
        )
        # A quarter of a small number may be none of the format.
        return [host.from_bits(self.format, host.to_bits(self.format, table)) for table in tables]

    def put(self, *tables):
        """Queue experiences; returns the numbers that have to come out, by stream."""
        for source, values in zip(self.sources.values(), tables, strict=True):
            for bits in host.to_bits(self.format, values).ravel():
                source.put(int(bits))
        results = self.reference(self.config, *tables)
        return {name: host.to_bits(self.format, table).ravel() for name, table in zip(self.given, results, strict=True)}

    async def check(self, expected):
        """Numbers of all streams come out as they have to, each in its own time."""
        checks = [cocotb.start_soon(self._check(name, bits)) for name, bits in expected.items()]
        for check in checks:
            await check

    async def _check(self, name, expected):
        for index, bits in enumerate(expected):
            compare(int(bits), await self.sinks[name].receive(), name, index)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    corners = host.from_bits(bench.format, extremes(bench.format))
    for index in range(len(bench.sources)):
        # One corner value to an experience.
        tables = bench.experiences(len(corners))
        flat = tables[index].reshape(len(corners), -1)
        flat[np.arange(len(corners)), bench.random.integers(0, flat.shape[1], len(corners))] = corners
        await bench.check(bench.put(*tables))
    for stalls in ((0.0, 0.0), (0.0, 0.8), (0.8, 0.0), (0.2, 0.2)):
        bench.stall(*stalls)
        await bench.check(bench.put(*bench.experiences(6)))
    # A source that comes much later than the others.
    for late in bench.sources.values():
        bench.stall(0, 0)
        late.stall = 0.95
        await bench.check(bench.put(*bench.experiences(2)))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    bench.stall(0, 1)
    # Small heads also wait in the cores.
    count = bench.config.waiting + 12 + 60 // (bench.config.agents * bench.config.heads)
    expected = bench.put(*bench.experiences(count))
    for _ in range(count * parameters()["cycles"] + 1000):
        await RisingEdge(dut.clk)
    for name, source in bench.sources.items():
        size = bench.config.agents * bench.config.heads * getattr(bench.config, bench.taken[name])
        assert source.count < count * size, f"All {name} were taken, though nothing else was"
    bench.stall(0, 0)
    await bench.check(expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    bench.stall(0, 0)
    seen = TransferCycles(dut, *bench.given)
    # At first errors of values come faster, as weights are there before the errors of messages.
    await bench.check(bench.put(*bench.experiences(4 * bench.config.waiting + 2)))
    for name, size in bench.given.items():
        numbers_of = bench.config.agents * bench.config.heads * getattr(bench.config, size)
        ends = seen.taken[name][numbers_of - 1 :: numbers_of]
        compare([parameters()["cycles"]] * 3, np.diff(ends)[-3:], f"cycles between experiences of {name}", 0)
