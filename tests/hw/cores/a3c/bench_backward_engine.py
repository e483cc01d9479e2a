"""Errors of rollouts back through the networks of several agents, against the reference, and the cycles that it takes.

Parameters: ``config``; ``cycles``, of a job, by its steps; ``latency``, from its last read to its end.
"""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters
from tests.hw.cores.transfer_cycles import TransferCycles

from .rollouts import RolloutsBench
from .words import bits_of, pack_rows


class Bench(RolloutsBench):
    """Jobs, and the errors that they leave."""

    def __init__(self, dut):
        super().__init__(dut)
        self.jobs, self.done = StreamSource(dut, "jobs"), StreamSink(dut, "done")

    async def put(self, steps, share=0.0):
        """A job for each agent, of so many steps; returns errors of all layers, by agent."""
        expected = {}
        for agent, count in enumerate(steps):
            inputs, errors, found = self.rollout(agent, count, share)
            await self.load_activations(agent, inputs)
            await self.load_errors(agent, self.config.layers[-1], errors)
            expected[agent] = found
        for agent, count in enumerate(steps):
            self.jobs.put({"agent": agent, "steps": count})
        return expected

    async def check(self, expected):
        """Ends of jobs, then the errors of all layers."""
        for index, (agent, found) in enumerate(expected.items()):
            compare({"agent": agent, "steps": len(found[0])}, await self.done.receive(), "done", index)
        await self.check_errors(expected)

    async def check_errors(self, expected):
        """Errors of all layers; no job is under way."""
        await RisingEdge(self.dut.clk)
        for agent, found in expected.items():
            for number, (layer, errors) in enumerate(zip(self.config.layers, found, strict=True)):
                for step, rows in enumerate(pack_rows(self.config, bits_of(self.config, errors))):
                    first = step * self.config.error_rows + layer.output_row
                    got = await self.read("errors", agent, first, layer.groups)
                    compare(rows.tolist(), got, f"errors of agent {agent}, layer {number}, step", step)

    def steps(self):
        """For each agent another number of steps, where there are as many."""
        counts = self.all_steps()
        return [counts[agent % len(counts)] for agent in range(self.config.agents)]


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    cocotb.start_soon(bench.watch_conflicts())
    for share in (0.0, 0.01, 0.1):
        await bench.prepare(share)
        for stall_in, stall_out in ((0.0, 0.0), (0.9, 0.0), (0.2, 0.2)):
            bench.jobs.stall, bench.done.stall = stall_in, stall_out
            await bench.check(await bench.put(bench.steps(), share))
    for steps in range(1, bench.config.steps + 1):
        await bench.check(await bench.put([steps] * bench.config.agents))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    await bench.prepare()
    bench.jobs.stall, bench.done.stall = 0, 1
    expected = await bench.put(bench.steps())
    jobs = [{"agent": agent, "steps": len(found[0])} for agent, found in expected.items()]
    for job in 3 * jobs:
        bench.jobs.put(job)
    for _ in range(4 * len(jobs) * max(parameters()["cycles"].values())):
        await RisingEdge(dut.clk)
    assert bench.jobs.count == 2, f"{bench.jobs.count} jobs were taken though there is room for two ends"
    bench.done.stall = 0
    for index, job in enumerate(4 * jobs):
        compare(job, await bench.done.receive(), "done", index)
    await bench.check_errors(expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    await bench.prepare()
    bench.jobs.stall = bench.done.stall = 0
    seen = TransferCycles(dut, "jobs", "done")
    steps = []
    for _ in range(bench.config.steps):
        steps += (counts := bench.steps())
        await bench.check(await bench.put(counts))
    cycles, latency = parameters()["cycles"], parameters()["latency"]
    compare(
        [cycles[count] + latency + 2 for count in steps[:: bench.config.agents]],
        np.subtract(seen.offered["done"], seen.taken["jobs"])[:: bench.config.agents],
        "cycles from a job to its end",
        0,
    )
    between = np.diff(seen.taken["jobs"])
    for index, count in enumerate(steps[:-1]):
        # The first job of a batch waits for its data.
        if (index + 1) % bench.config.agents:
            compare(cycles[count], int(between[index]), "cycles between jobs", index)
