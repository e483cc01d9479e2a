"""Samples through what draws actions, against the reference, and the cycles that they take."""

import cocotb
import numpy as np

from rewardware.sim.cocotb import clock_and_reset, compare, parameters
from rewardware.sw.reference.learner.squashed_gaussian import squashed_gaussian
from tests.hw.cores.transfer_cycles import TransferCycles

from .stream_bench import STALLS, StreamBench


class Bench(StreamBench):
    """A core that draws actions, and random samples."""

    def __init__(self, dut):
        config = parameters()["config"]
        drawn = ["drawn"] if parameters()["derivable"] else []
        super().__init__(dut, config.arithmetic, ("outputs", "noises"), ("actions", "log_densities", *drawn))

    def draw(self, count, corners=0.0):
        """Queue samples; returns what has to come out."""
        actions = self.config.actions
        outputs, noises = self.numbers(count, 2 * actions, corners=corners), self.numbers(count, actions)
        # Some on both sides of the bounds of a logarithm, and on them.
        places = self.random.random((count, actions)) < 0.3
        outputs[:, actions:][places] = self.random.choice([-21.5, -20, -19, 1.75, 2, 2.25, 40], places.sum())
        places = self.random.random((count, actions)) < corners
        noises[places] = self.numbers(count, actions, corners=1.0)[places]
        self.put(outputs=outputs, noises=noises)
        drawn = squashed_gaussian(self.format, outputs, noises)
        expected = {"actions": drawn.actions, "log_densities": drawn.log_densities}
        if "drawn" in self.sinks:
            expected["drawn"] = {"action": drawn.actions, "spread": drawn.spreads, "within": drawn.within}
        return expected


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    await bench.check(**bench.draw(150, corners=0.3))
    for stalls in STALLS:
        bench.stall(*stalls)
        await bench.check(**bench.draw(40))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    """Nothing is lost while one of the results waits."""
    bench = Bench(dut)
    bench.stall(0, 0)
    await clock_and_reset(dut)
    for sink in bench.sinks.values():
        sink.stall = 1
        before, expected = bench.sources["outputs"].count, bench.draw(150)
        await bench.wait(150 * bench.config.cycles + 200)
        assert bench.sources["outputs"].count - before < 150 * 2 * bench.config.actions
        sink.stall = 0
        await bench.check(**expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    bench.stall(0, 0)
    await clock_and_reset(dut)
    seen, actions = TransferCycles(dut, "outputs", "actions", "log_densities"), bench.config.actions
    expected = bench.draw(12)
    await bench.check(**expected)
    first = seen.taken["outputs"][actions]
    compare(parameters()["action_latency"], seen.offered["actions"][0] - first, "cycles to an action", 0)
    compare(parameters()["density_latency"], seen.offered["log_densities"][0] - first, "cycles to a density", 0)
    compare([bench.config.cycles] * 8, np.diff(seen.taken["log_densities"])[3:], "cycles between samples", 0)
