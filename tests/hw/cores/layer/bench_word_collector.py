"""Random samples through collectors of words, and the cycles that they take.

Parameters: ``configs``, of the collectors by name.
"""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, compare_all, parameters, rng
from tests.hw.cores.transfer_cycles import TransferCycles

SAMPLES = 20
LATENCY = 2


class Bench:
    """One collector."""

    def __init__(self, dut, name, config):
        self.name, self.config, self.random = name, config, rng(name)
        self.elements, self.words = StreamSource(dut, f"{name}__elements"), StreamSink(dut, f"{name}__words")

    async def check(self, stall_in, stall_out):
        """Samples of any bits."""
        self.elements.stall, self.words.stall = stall_in, stall_out
        config = self.config
        samples = self.random.integers(1 << config.arithmetic.format.width, size=(SAMPLES, config.outputs))
        for element in samples.ravel().tolist():
            self.elements.put(element)
        filling = config.groups * config.units - config.outputs
        words = np.pad(samples, ((0, 0), (0, filling))).reshape(-1, config.units).tolist()
        compare_all(words, await self.words.receive_all(len(words)), self.words.name)


def benches(dut):
    return [Bench(dut, name, config) for name, config in parameters()["configs"].items()]


@cocotb.test()
async def collects_words(dut):
    made = benches(dut)
    await clock_and_reset(dut)
    for bench in made:
        for stalls in ((0.3, 0.3), (0.9, 0.0), (0.0, 0.9)):
            await bench.check(*stalls)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    made = benches(dut)
    seen = TransferCycles(dut, *(stream.name for bench in made for stream in (bench.elements, bench.words)))
    await clock_and_reset(dut)
    for bench in made:
        await bench.check(0, 0)
        taken = seen.taken[bench.elements.name]
        compare([1] * (len(taken) - 1), np.diff(taken), "cycles between elements", bench.name)
        outputs, units, groups = bench.config.outputs, bench.config.units, bench.config.groups
        last = [min((group + 1) * units, outputs) - 1 for group in range(groups)]
        expected = np.reshape(taken, (SAMPLES, outputs))[:, last] + LATENCY
        compare(expected.ravel().tolist(), seen.offered[bench.words.name], "cycles of words", bench.name)


@cocotb.test()
async def keeps_words_of_two_samples(dut):
    made = benches(dut)
    await clock_and_reset(dut)
    for bench in made:
        bench.elements.stall, bench.words.stall = 0, 1
        outputs, units, groups = bench.config.outputs, bench.config.units, bench.config.groups
        sizes = [min(outputs - group * units, units) for group in range(groups)] * 5
        # Two more words, and a word but its last element, which would complete it.
        words = 2 * groups + 2
        expected = sum(sizes[:words]) + sizes[words] - 1
        for element in range(sum(sizes)):
            bench.elements.put(element)
        for _ in range(sum(sizes) + 10):
            await RisingEdge(dut.clk)
        compare(expected, bench.elements.count, "elements taken", bench.name)
