"""Samples through a stage that reads weights, against its reference, and the cycles that they take.

Parameters: ``config``; ``stage``, forward or backward; ``latency``, cycles from a first number that is valid to a first
result that is; ``period``, cycles from one sample to the next.
"""

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float import host
from rewardware.sw.reference.layer.stages import backward, forward
from tests.hw.cores.float.operands import extremes
from tests.hw.cores.transfer_cycles import TransferCycles

from .stimulus import numbers, pack_word, pad_words, parameter_shape

# The stream into each kind of stage, and the stream out of it.
STREAMS = {"forward": ("inputs", "outputs"), "backward": ("errors", "results")}


class Bench:
    """A stage with random weights, zeros of both signs among them."""

    def __init__(self, dut):
        self.dut, self.config, self.kind = dut, parameters()["config"], parameters()["stage"]
        self.format = self.config.arithmetic.format
        sizes = self.config.inputs, self.config.outputs
        self.taken, self.given = sizes if self.kind == "forward" else sizes[::-1]
        source, self.sink_name = STREAMS[self.kind]
        self.source, self.sink = StreamSource(dut, source), StreamSink(dut, self.sink_name)
        self.random, self.weights, self.nonfinite = rng("samples"), None, 0

    async def prepare(self):
        """Reset, and weights to the memory."""
        self.dut.new_weights__enable.value = 0
        await clock_and_reset(self.dut)
        if self.kind == "forward":
            cocotb.start_soon(self._watch())
        await self.load()

    async def _watch(self):
        """Count results that are told to be infinite or NaN; a sample that has begun is under way."""
        begun = False
        while True:
            await FallingEdge(self.dut.clk)
            self.nonfinite += int(self.dut.errors.value)
            assert not (begun and int(self.dut.idle.value)), "idle while a sample is under way"
            begun = int(self.dut.inputs__valid.value) and int(self.dut.inputs__ready.value)

    async def load(self):
        """Weights of other random numbers, once no sample is under way."""
        self.weights = numbers(self.random, self.format, *parameter_shape(self.config))
        for address, word in enumerate(pad_words(self.config, self.weights)):
            self.dut.new_weights__enable.value = 1
            self.dut.new_weights__address.value = address
            self.dut.new_weights__data.value = pack_word(self.format, word)
            await RisingEdge(self.dut.clk)
        self.dut.new_weights__enable.value = 0

    def samples(self, count):
        """Bit patterns of random samples, in whole rounds of the sets of parameters."""
        count = -(-count // self.config.parameter_sets) * self.config.parameter_sets
        return host.to_bits(self.format, numbers(self.random, self.format, count, self.taken))

    def put(self, samples):
        """Queue samples; returns the numbers that have to come out."""
        for bits in samples.ravel():
            self.source.put(int(bits))
        function = forward if self.kind == "forward" else backward
        values = function(self.config, self.weights, host.from_bits(self.format, samples))
        return host.to_bits(self.format, values).ravel()

    async def check(self, expected):
        """Numbers come out as they have to."""
        for index, bits in enumerate(expected):
            compare(int(bits), await self.sink.receive(), self.sink_name, index)
        if self.kind == "forward":
            await FallingEdge(self.dut.clk)
            assert int(self.dut.idle.value), "not idle behind the last sample"
            numbers_out = host.from_bits(self.format, np.asarray(expected))
            compare(np.count_nonzero(~np.isfinite(numbers_out)), self.nonfinite, "numbers that are not finite", 0)
            self.nonfinite = 0


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await bench.prepare()
    # A sample has one corner value: with more of them everything would be NaN. Each place also gets an infinity, whose
    # remains would show where there should be a zero.
    corners = extremes(bench.format)
    places = bench.random.integers(0, bench.taken, len(corners))
    corners = np.concatenate([corners, np.full(bench.taken, bench.format.infinity)])
    places = np.concatenate([places, np.arange(bench.taken)])
    samples = bench.samples(len(corners) + 2 * bench.config.parameter_sets)
    samples[np.arange(len(corners)), places] = corners
    # Zeros alone show what is added to them.
    samples[-2 * bench.config.parameter_sets :] = 0
    await bench.check(bench.put(samples))
    for stall_in, stall_out in ((0.0, 0.0), (0.0, 0.8), (0.8, 0.0), (0.1, 0.1)):
        bench.source.stall, bench.sink.stall = stall_in, stall_out
        for _ in range(3):
            # The smallest layer has one weight and one bias.
            await bench.load()
            await bench.check(bench.put(bench.samples(10)))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    """Nothing is lost while results wait for as long as the stage has room, and longer."""
    bench = Bench(dut)
    await bench.prepare()
    bench.source.stall, bench.sink.stall = 0, 1
    expected = bench.put(bench.samples(40))
    for _ in range(40 * parameters()["period"] + 200):
        await RisingEdge(dut.clk)
    assert bench.source.count < 40 * bench.taken, "All samples were taken, though no result was"
    bench.sink.stall = 0
    await bench.check(expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench, latency, period = Bench(dut), parameters()["latency"], parameters()["period"]
    await bench.prepare()
    bench.source.stall, bench.sink.stall = 0, 0
    seen = TransferCycles(dut, bench.source.name, bench.sink_name)
    expected = bench.put(bench.samples(12))
    await bench.check(expected)
    given = seen.taken[bench.sink_name]
    compare(latency, given[0] - seen.offered[bench.source.name][0], "cycles to the first result", 0)
    compare(
        [period] * (len(expected) // bench.given - 1),
        np.diff(given[bench.given - 1 :: bench.given]),
        "cycles between samples",
        0,
    )
