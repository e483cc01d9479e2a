"""Samples through the temporal-difference loss, against the reference, and the cycles that they take."""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float import host
from rewardware.sw.reference.learner.temporal_difference_loss import temporal_difference_loss
from tests.hw.cores.transfer_cycles import TransferCycles
from tests.sw.reference.learner.stimulus import loss_samples


class Bench:
    """A loss stage that gets values and transitions."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.arithmetic.format
        self.sources = [StreamSource(dut, name) for name in ("values", "next_values", "transitions")]
        self.sinks = [StreamSink(dut, name) for name in ("errors", "priorities")]
        self.random = rng("samples")

    def put(self, count):
        """Queue random samples; returns derivatives and priorities that have to come out."""
        given = loss_samples(self.random, self.format, count, self.config.values)
        values, next_values, actions, *rest = given
        for source, table in zip(self.sources, (values, next_values), strict=False):
            for bits in host.to_bits(self.format, table).ravel():
                source.put(int(bits))
        names = ("reward", "discount", "weight")
        columns = dict(zip(names, (host.to_bits(self.format, column) for column in rest), strict=True))
        if self.config.values > 1:
            columns["action"] = actions
        for row in zip(*columns.values(), strict=True):
            self.sources[2].put(dict(zip(columns, map(int, row), strict=True)))
        loss = temporal_difference_loss(self.format, *given, huber=self.config.loss == "huber")
        return [host.to_bits(self.format, part).ravel() for part in loss]

    async def check(self, expected):
        """Compare the outputs with the expected ones."""
        for sink, column in zip(self.sinks, expected, strict=True):
            for index, bits in enumerate(column):
                compare(int(bits), await sink.receive(), sink.name, index)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    for stalls in ((0, 0, 0, 0, 0), (0.3, 0.3, 0.3, 0.3, 0.3), (0.9, 0, 0, 0, 0), (0, 0, 0.9, 0, 0), (0, 0, 0, 0.9, 0)):
        for part, stall in zip(bench.sources + bench.sinks, stalls, strict=True):
            part.stall = stall
        await bench.check(bench.put(150))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    """Nothing is lost while one of the results waits for as long as there is room, and longer."""
    bench = Bench(dut)
    await clock_and_reset(dut)
    for sink in bench.sinks:
        sink.stall = 1
        expected = bench.put(60)
        for _ in range(60 * (bench.config.cycles + 3)):
            await RisingEdge(dut.clk)
        assert len(bench.sinks[0]) < 60 * bench.config.values or len(bench.sinks[1]) < 60
        sink.stall = 0
        await bench.check(expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench, period = Bench(dut), parameters()["config"].cycles
    for part in bench.sources + bench.sinks:
        part.stall = 0
    await clock_and_reset(dut)
    values, derivatives = bench.sources[0].name, bench.sinks[0].name
    seen = TransferCycles(dut, values, derivatives)
    expected = bench.put(20)
    await bench.check(expected)
    taken, given = seen.taken[values][bench.config.values - 1], seen.taken[derivatives]
    compare(parameters()["latency"], given[0] - taken, "cycles to the first derivative", 0)
    compare([period] * 19, np.diff(given[:: bench.config.values]), "cycles between samples", 0)
