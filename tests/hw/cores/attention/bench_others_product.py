"""Vectors and inputs of experiences through a product, against its reference, and the cycles that they take.

Parameters: ``config``; ``latency``, cycles from the first input to the first output.
"""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.attention.products import product
from rewardware.sw.reference.float import host
from tests.hw.cores.float.operands import extremes
from tests.hw.cores.layer.stimulus import numbers
from tests.hw.cores.transfer_cycles import TransferCycles


class Bench:
    """A product, its streams, and random experiences."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.arithmetic.format
        self.inputs, self.vectors = StreamSource(dut, "inputs"), StreamSource(dut, "vectors")
        self.sink = StreamSink(dut, "outputs")
        self.random = rng("experiences")

    def experiences(self, count):
        """Values of random inputs and vectors."""
        config = self.config
        shape = count, config.agents, config.heads
        return [numbers(self.random, self.format, *shape, size) for size in (config.layer.inputs, config.size)]

    def put(self, inputs, vectors):
        """Queue experiences; returns the numbers that have to come out."""
        for source, values in ((self.inputs, inputs), (self.vectors, vectors)):
            for bits in host.to_bits(self.format, values).ravel():
                source.put(int(bits))
        return host.to_bits(self.format, product(self.config, inputs, vectors)).ravel()

    async def check(self, expected):
        """Numbers come out as they have to."""
        for index, bits in enumerate(expected):
            compare(int(bits), await self.sink.receive(), "outputs", index)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    corners = host.from_bits(bench.format, extremes(bench.format))
    for table in (0, 1):
        # One corner value to an experience, at any place: an agent's own vector must not count, whatever it is.
        experiences = bench.experiences(len(corners))
        flat = experiences[table].reshape(len(corners), -1)
        flat[np.arange(len(corners)), bench.random.integers(0, flat.shape[1], len(corners))] = corners
        await bench.check(bench.put(*experiences))
    for stalls in ((0.0, 0.0, 0.0), (0.0, 0.0, 0.8), (0.8, 0.0, 0.0), (0.0, 0.8, 0.0), (0.2, 0.2, 0.2)):
        bench.inputs.stall, bench.vectors.stall, bench.sink.stall = stalls
        await bench.check(bench.put(*bench.experiences(4)))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    """Nothing is lost while outputs wait; as many experiences of vectors are taken as there are banks."""
    bench = Bench(dut)
    await clock_and_reset(dut)
    config = bench.config
    bench.inputs.stall = bench.vectors.stall = 0
    bench.sink.stall = 1
    # Small heads also wait after the sums.
    count = config.banks + 6 + 40 // (config.agents * config.heads)
    expected = bench.put(*bench.experiences(count))
    for _ in range(count * config.agents * config.heads * config.cycles + 400):
        await RisingEdge(dut.clk)
    assert bench.vectors.count < count * config.agents * config.row
    bench.sink.stall = 0
    await bench.check(expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    config = bench.config
    bench.inputs.stall = bench.vectors.stall = bench.sink.stall = 0
    seen = TransferCycles(dut, "vectors", "outputs")
    await bench.check(bench.put(*bench.experiences(4)))
    # Inputs wait: a product begins when the last vector of its experience is there.
    begin = seen.taken["vectors"][config.agents * config.row - 1] + 1
    given = seen.taken["outputs"]
    compare(parameters()["latency"], given[0] - begin, "cycles to the first output", 0)
    ends = given[config.layer.outputs - 1 :: config.layer.outputs]
    compare([config.cycles] * (len(ends) - 1), np.diff(ends), "cycles between heads", 0)
