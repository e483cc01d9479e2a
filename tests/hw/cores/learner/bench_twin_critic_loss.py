"""Samples through the losses of two critics, against the reference, and the cycles that they take."""

import cocotb
import numpy as np

from rewardware.sim.cocotb import clock_and_reset, compare, parameters
from rewardware.sw.reference.learner.twin_critic_loss import twin_critic_loss
from tests.hw.cores.transfer_cycles import TransferCycles
from tests.sw.reference.learner.stimulus import twin_loss_samples

from .stream_bench import STALLS, StreamBench

PAIRS = ("values__0", "values__1", "next_values__0", "next_values__1")


class Bench(StreamBench):
    """The losses, and random samples."""

    def __init__(self, dut):
        config = parameters()["config"]
        sources, sinks = (*PAIRS, "log_densities", "transitions"), ("errors__0", "errors__1", "priorities")
        super().__init__(dut, config.arithmetic, sources, sinks)

    def put_samples(self, count):
        """Queue samples; returns what has to come out."""
        given = twin_loss_samples(self.random, self.format, count)
        values, next_values, log_densities, temperature, rewards, discounts, weights = given
        self.dut.temperature.value = self.bits(temperature)[0]
        transitions = {"reward": rewards, "discount": discounts, "weight": weights}
        pairs = dict(zip(PAIRS, (*values, *next_values), strict=True))
        self.put(**pairs, log_densities=log_densities, transitions=transitions)
        loss = twin_critic_loss(self.format, *given, huber=self.config.loss == "huber")
        derivatives = {f"errors__{index}": each for index, each in enumerate(loss.derivatives)}
        return derivatives | {"priorities": loss.priorities}


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    for stalls in STALLS:
        bench.stall(*stalls)
        await bench.check(**bench.put_samples(80))
    # One stream at a time is slow.
    for part in (*bench.sources.values(), *bench.sinks.values()):
        bench.stall(0, 0)
        part.stall = 0.9
        await bench.check(**bench.put_samples(30))


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    bench.stall(0, 0)
    await clock_and_reset(dut)
    seen = TransferCycles(dut, PAIRS[2], "errors__0", "errors__1")
    await bench.check(**bench.put_samples(20))
    for name in ("errors__0", "errors__1"):
        latency = seen.offered[name][0] - seen.taken[PAIRS[2]][0]
        compare(parameters()["latency"], latency, f"cycles to the first of {name}", 0)
        compare([bench.config.cycles] * 16, np.diff(seen.taken[name])[3:], "cycles between samples", 0)
