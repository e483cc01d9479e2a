"""Batches through a gradient stage, against the reference, and the cycles that they take."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge
from cocotb.utils import get_sim_time

from rewardware.hw.cores.layer.config import BATCH_WIDTH
from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.bench import CLOCK_PERIOD_NANOSECONDS
from rewardware.sw.reference.float import host
from rewardware.sw.reference.layer.stages import gradient
from tests.hw.cores.float.operands import extremes

from .stimulus import numbers, pack_word, pad_words

# Cycles in which a batch has to be done, a sample.
LIMIT = 2000


class Bench:
    """A gradient stage that gets inputs and errors."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.arithmetic.format
        self.inputs, self.errors = StreamSource(dut, "inputs"), StreamSource(dut, "errors")
        self.random = rng("samples")

    async def prepare(self):
        """Reset."""
        self.dut.gradients__enable.value = 0
        self.dut.batch.value = 1
        await clock_and_reset(self.dut)

    def samples(self, count):
        """Bit patterns of random inputs and errors, of ``count`` samples of each set of parameters."""
        count *= self.config.parameter_sets
        sizes = self.config.inputs, self.config.outputs
        return [host.to_bits(self.format, numbers(self.random, self.format, count, size)) for size in sizes]

    async def run(self, x, errors):
        """Send a batch and compare its gradient; returns cycles from the first transfer of an error to ``done``."""
        dut = self.dut
        dut.batch.value = len(x) // self.config.parameter_sets
        before = self.errors.count
        for source, table in ((self.inputs, x), (self.errors, errors)):
            for bits in table.ravel():
                source.put(int(bits))
        begin = end = None
        for cycle in range(LIMIT * len(x)):
            await RisingEdge(dut.clk)
            if begin is None and self.errors.count > before:
                begin = cycle
            await ReadOnly()
            if int(dut.done.value):
                end = cycle
                break
        assert end is not None, f"A batch of {len(x)} samples must be done within {LIMIT} cycles a sample"
        values = [host.from_bits(self.format, table) for table in (x, errors)]
        for address, expected in enumerate(pad_words(self.config, gradient(self.config, *values))):
            await RisingEdge(dut.clk)
            dut.gradients__enable.value = 1
            dut.gradients__address.value = address
            await RisingEdge(dut.clk)
            dut.gradients__enable.value = 0
            await ReadOnly()
            compare(pack_word(self.format, expected), int(dut.gradients__data.value), "gradient", address)
        await RisingEdge(dut.clk)
        return end - begin


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await bench.prepare()
    # Each corner value alone in a batch, as input and as error: more, and everything would be NaN.
    for corner in extremes(bench.format):
        for table in (0, 1):
            samples = bench.samples(2)
            samples[table][1, bench.random.integers(0, samples[table].shape[1])] = corner
            await bench.run(*samples)
    for stalls in ((0.0, 0.0), (0.0, 0.8), (0.8, 0.0), (0.3, 0.3)):
        bench.inputs.stall, bench.errors.stall = stalls
        for count in (1, 7, 20):
            await bench.run(*bench.samples(count))


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await bench.prepare()
    bench.inputs.stall, bench.errors.stall = 0, 0
    short = await bench.run(*bench.samples(5))
    long = await bench.run(*bench.samples(15))
    period = parameters()["period"]
    count = 10 * bench.config.parameter_sets
    assert long - short == count * period, f"{count} samples took {long - short} cycles, not {count * period}"


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def counts_the_largest_batch(dut):
    """All samples are alike, and always there."""
    bench = Bench(dut)
    await bench.prepare()
    dut.batch.value = batch = (1 << BATCH_WIDTH) - 1
    for stream in ("inputs", "errors"):
        getattr(dut, f"{stream}__payload").value = bench.format.one
        getattr(dut, f"{stream}__valid").value = 1
    begin = get_sim_time("ns")
    await RisingEdge(dut.done)
    cycles = round((get_sim_time("ns") - begin) / CLOCK_PERIOD_NANOSECONDS)
    # A pass waits for the first word, and for the inputs of its sample, of which the last comes as late as a word.
    config, given = bench.config, parameters()
    first = max(config.units, config.inputs - 1) - 1
    compare(first + given["latency"] + (batch - 1) * given["period"], cycles, "cycles of samples", batch)
