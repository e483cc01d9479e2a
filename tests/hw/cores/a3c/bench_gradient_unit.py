"""Gradients of rollouts of several agents, against the reference, and the cycles that they take.

Parameters: ``config``; ``cycles``, of a job, by its steps; ``latency``, from a last read to the word.
"""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters
from rewardware.sw.reference.a3c.network import gradients
from tests.hw.cores.transfer_cycles import TransferCycles

from .rollouts import RolloutsBench
from .words import pack_parameters


class Bench(RolloutsBench):
    """Jobs, and the words that they make."""

    def __init__(self, dut):
        super().__init__(dut)
        self.jobs, self.gradients = StreamSource(dut, "jobs"), StreamSink(dut, "gradients")
        self.order = None

    async def put(self, steps, share=0.0):
        """A job for each agent, of so many steps; returns the words of each."""
        expected = []
        for agent, count in enumerate(steps):
            inputs, _, errors = self.rollout(agent, count, share)
            await self.load_activations(agent, inputs)
            for layer, values in zip(self.config.layers, errors, strict=True):
                await self.load_errors(agent, layer, values)
            words = pack_parameters(self.config, gradients(self.config, inputs, errors))
            expected.append((agent, words.tolist()))
        for agent, count in enumerate(steps):
            self.jobs.put({"agent": agent, "steps": count})
        return expected

    async def check(self, expected):
        """Every word of parameters once, in the same order each time."""
        for index, (agent, words) in enumerate(expected):
            order = []
            for count in range(1, len(words) + 1):
                got = await self.gradients.receive()
                order.append(got["address"])
                wanted = {"agent": agent, "address": order[-1], "last": int(count == len(words))}
                compare(wanted | {"word": words[order[-1]]}, got, f"gradients of job {index}, word", count - 1)
            assert sorted(order) == list(range(len(words))), f"Words of job {index}: {order}"
            assert self.order in (None, order), f"Words of job {index} come in another order: {order}, not {self.order}"
            self.order = order

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
        for stall_in, stall_out in ((0.0, 0.0), (0.9, 0.0), (0.0, 0.9), (0.2, 0.2)):
            bench.jobs.stall, bench.gradients.stall = stall_in, stall_out
            await bench.check(await bench.put(bench.steps(), share))
    for steps in range(1, bench.config.steps + 1):
        await bench.check(await bench.put([steps] * bench.config.agents))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    await bench.prepare()
    bench.jobs.stall, bench.gradients.stall = 0, 1
    expected = await bench.put([1] * bench.config.agents)
    jobs = [{"agent": agent, "steps": 1} for agent in range(bench.config.agents)]
    for job in 9 * jobs:
        bench.jobs.put(job)
    for _ in range(10 * len(jobs) * parameters()["cycles"][1]):
        await RisingEdge(dut.clk)
    assert bench.jobs.count < 10 * len(jobs), "All jobs were taken, though no word was"
    bench.gradients.stall = 0
    await bench.check(10 * expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    await bench.prepare()
    bench.jobs.stall = bench.gradients.stall = 0
    cycles, latency, config = parameters()["cycles"], parameters()["latency"], bench.config
    for steps in range(1, config.steps + 1):
        if steps < config.gradient_engines:
            # More words are made than leave.
            continue
        seen = TransferCycles(dut, "jobs", "gradients")
        expected = await bench.put(3 * [steps] if config.agents == 1 else [steps] * config.agents)
        await bench.check(expected)
        between = np.diff(seen.taken["jobs"])
        compare([cycles[steps]] * len(between), between, "cycles between jobs of steps", steps)
        last = seen.taken["gradients"][config.words - 1] - seen.taken["jobs"][0]
        compare(cycles[steps] + latency + 1, int(last), "cycles from a job to its last word", steps)
