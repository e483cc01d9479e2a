"""Errors at actions that were drawn to errors at a network's outputs, against the reference, and their cycles."""

import cocotb
import numpy as np

from rewardware.sim.cocotb import clock_and_reset, compare, parameters
from rewardware.sw.reference.learner.squashed_gaussian import DrawnActions, squashed_gaussian_derivative
from tests.hw.cores.transfer_cycles import TransferCycles

from .stream_bench import STALLS, StreamBench


class Bench(StreamBench):
    """A core, and random samples."""

    def __init__(self, dut):
        super().__init__(dut, parameters()["config"].arithmetic, ("errors", "drawn"), ("results",))
        self.slope = np.zeros(1)

    def set_slope(self):
        """Another one, while nothing is under way."""
        self.slope = self.numbers(1)
        self.dut.entropy_slope.value = self.bits(self.slope)[0]

    def put_samples(self, count, corners=0.0):
        """Queue samples; returns what has to come out."""
        shape = count, self.config.actions
        errors, actions, spreads = (self.numbers(*shape, corners=corners) for _ in range(3))
        drawn = DrawnActions(actions, spreads, self.random.random(shape) < 0.7, np.zeros(count))
        self.put(errors=errors, drawn={"action": actions, "spread": spreads, "within": drawn.within})
        return squashed_gaussian_derivative(self.format, drawn, errors, self.slope)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    bench.set_slope()
    await clock_and_reset(dut)
    await bench.check(results=bench.put_samples(150, corners=0.3))
    for stalls in STALLS:
        bench.set_slope()
        bench.stall(*stalls)
        await bench.wait(bench.config.arithmetic.adder_depth)
        await bench.check(results=bench.put_samples(40))


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    bench.set_slope()
    bench.stall(0, 0)
    await clock_and_reset(dut)
    seen, outputs = TransferCycles(dut, "errors", "results"), 2 * bench.config.actions
    await bench.check(results=bench.put_samples(12))
    latency = seen.offered["results"][0] - seen.taken["errors"][0]
    compare(parameters()["latency"], latency, "cycles to the first result", 0)
    compare([outputs] * 8, np.diff(seen.taken["results"][::outputs])[3:], "cycles between samples", 0)
