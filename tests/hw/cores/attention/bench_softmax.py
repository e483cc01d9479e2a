"""Samples through softmax, or its derivative, against the reference, and the cycles that they take.

Parameters: ``config``; ``kind``, ``"softmax"`` or ``"derivative"``; ``cycles``, from one sample to the next.
"""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.attention.softmax import softmax, softmax_derivative
from rewardware.sw.reference.float import host
from tests.hw.cores.float.operands import extremes
from tests.hw.cores.layer.stimulus import numbers
from tests.hw.cores.transfer_cycles import TransferCycles

# The streams into each kind of core, the stream of its results, and its reference.
KINDS = {
    "softmax": (("scores",), "weights", softmax),
    "derivative": (("weights", "errors"), "results", softmax_derivative),
}


class Bench:
    """A core, its streams and random samples."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.arithmetic.format
        names, self.sink_name, self.reference = KINDS[parameters()["kind"]]
        self.sources, self.sink = [StreamSource(dut, name) for name in names], StreamSink(dut, self.sink_name)
        self.random = rng("samples")

    def samples(self, count):
        """Values of each stream, scores alike and far from each other among them."""
        return [numbers(self.random, self.format, count, self.config.others) for _ in self.sources]

    def put(self, *samples):
        """Queue samples; returns the numbers that have to come out."""
        for source, values in zip(self.sources, samples, strict=True):
            for bits in host.to_bits(self.format, values).ravel():
                source.put(int(bits))
        return host.to_bits(self.format, self.reference(self.config, *samples)).ravel()

    async def check(self, expected):
        """Numbers come out as they have to."""
        for index, bits in enumerate(expected):
            compare(int(bits), await self.sink.receive(), self.sink_name, index)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    corners = host.from_bits(bench.format, extremes(bench.format))
    for stream in range(len(bench.sources)):
        samples = bench.samples(len(corners))
        samples[stream][np.arange(len(corners)), bench.random.integers(0, bench.config.others, len(corners))] = corners
        await bench.check(bench.put(*samples))
    # All alike, each corner value.
    await bench.check(bench.put(*(np.repeat(corners[:, None], bench.config.others, 1) for _ in bench.sources)))
    for stall_in, stall_out in ((0.0, 0.0), (0.0, 0.8), (0.8, 0.0), (0.2, 0.2)):
        for source in bench.sources:
            source.stall = stall_in
        bench.sink.stall = stall_out
        await bench.check(bench.put(*bench.samples(30)))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    for source in bench.sources:
        source.stall = 0
    bench.sink.stall = 1
    expected = bench.put(*bench.samples(60))
    for _ in range(60 * parameters()["cycles"] + 300):
        await RisingEdge(dut.clk)
    assert bench.sources[0].count < 60 * bench.config.others, "All samples were taken, though no result was"
    bench.sink.stall = 0
    await bench.check(expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    for source in bench.sources:
        source.stall = 0
    bench.sink.stall = 0
    seen = TransferCycles(dut, bench.sink_name)
    await bench.check(bench.put(*bench.samples(12)))
    ends = seen.taken[bench.sink_name][bench.config.others - 1 :: bench.config.others]
    compare([parameters()["cycles"]] * 11, np.diff(ends), "cycles between samples", 0)
