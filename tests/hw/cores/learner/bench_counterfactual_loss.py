"""Samples through the loss of MAAC's policies, against the reference, and the cycles that they take."""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.attention.softmax import shares
from rewardware.sw.reference.float import host
from rewardware.sw.reference.learner.counterfactual_loss import counterfactual_loss
from tests.hw.cores.transfer_cycles import TransferCycles
from tests.sw.reference.learner.stimulus import loss_samples

SOURCES, SINKS = ("probabilities", "values", "choices"), ("errors", "advantages")


class Bench:
    """A loss and its reference."""

    def __init__(self, dut):
        self.dut, self.config, self.count = dut, parameters()["config"], parameters()["count"]
        self.format = self.config.format
        self.sources = {name: StreamSource(dut, name) for name in SOURCES}
        self.sinks = {name: StreamSink(dut, name) for name in SINKS}
        self.random = rng("samples")

    def bits(self, values):
        """Bit patterns of values."""
        return host.to_bits(self.format, values).tolist()

    def put(self, count, slope=0.03, entropy_share=0.01):
        """Queue random samples, of which some have fewer actions; returns what has to come out."""
        values, logits, *_ = loss_samples(self.random, self.format, count, self.count)
        # Of actions with a probability, too, values and logits may be infinite or NaN.
        available = self.random.integers(1, self.count + 1, count)
        probabilities = shares(self.format, logits, np.arange(self.count) < available[:, None])
        choices = self.random.integers(0, available)
        settings = [host.from_bits(self.format, host.to_bits(self.format, part)) for part in (entropy_share, slope)]
        for name, setting in zip(("entropy_share", "slope"), settings, strict=True):
            getattr(self.dut, name).value = self.bits(setting).pop()
        for name, table in (("probabilities", probabilities), ("values", values)):
            for bits in np.ravel(self.bits(table)):
                self.sources[name].put(int(bits))
        chances = np.take_along_axis(probabilities, choices[:, None], axis=1)[:, 0]
        for choice, chance in zip(choices.tolist(), self.bits(chances), strict=True):
            self.sources["choices"].put({"action": choice, "probability": chance})
        return counterfactual_loss(self.format, probabilities, values, choices, *settings)

    async def check(self, expected):
        """What comes out is what has to."""
        for index, bits in enumerate(np.ravel(self.bits(expected.derivatives))):
            compare(int(bits), await self.sinks["errors"].receive(), "errors", index)
        rows = zip(self.bits(expected.logarithms), self.bits(expected.advantages), strict=True)
        for index, (logarithm, advantage) in enumerate(rows):
            found = await self.sinks["advantages"].receive()
            compare({"logarithm": logarithm, "advantage": advantage}, found, "advantages", index)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    parts = (*bench.sources.values(), *bench.sinks.values())
    for slow in (None, *parts):
        for part in parts:
            part.stall = 0.9 if part is slow else 0.3 if slow is None else 0
        await bench.check(bench.put(80))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    for sink in bench.sinks.values():
        sink.stall = 1
        expected = bench.put(60)
        for _ in range(60 * (parameters()["cycles"] + 4)):
            await RisingEdge(dut.clk)
        assert len(bench.sinks["errors"]) < 60 * bench.count or len(bench.sinks["advantages"]) < 60
        sink.stall = 0
        await bench.check(expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    for part in (*bench.sources.values(), *bench.sinks.values()):
        part.stall = 0
    await clock_and_reset(dut)
    seen = TransferCycles(dut, "advantages")
    await bench.check(bench.put(40))
    compare([parameters()["cycles"]] * 20, np.diff(seen.taken["advantages"][19:]), "cycles between samples", 0)
