"""Gradients of rollouts of several agents, against the reference, and the cycles that they take.

Parameters: ``config``; ``cycles``, of a job, by its steps; ``latency``, from a last read to the word.
"""

import cocotb
import numpy as np

from rewardware.sim.cocotb import compare, parameters
from rewardware.sw.reference.a3c.network import gradients
from tests.hw.cores.transfer_cycles import TransferCycles

from .rollouts import RolloutsBench
from .words import pack_parameters


class Bench(RolloutsBench):
    """Jobs, and the words that they make."""

    def __init__(self, dut):
        super().__init__(dut, "gradients", slice(None))
        self.order = None

    async def check(self, expected):
        """Every word of parameters once, in the same order each time, of each agent's job in turn."""
        for index, (inputs, errors) in enumerate(expected):
            agent, order = index % self.config.agents, []
            words = pack_parameters(self.config, gradients(self.config, inputs, errors)).tolist()
            for count in range(1, len(words) + 1):
                got = await self.output.receive()
                order.append(got["address"])
                wanted = {"agent": agent, "address": order[-1], "last": int(count == len(words))}
                compare(wanted | {"word": words[order[-1]]}, got, f"gradients of job {index}, word", count - 1)
            assert sorted(order) == list(range(len(words))), f"Words of job {index}: {order}"
            assert self.order in (None, order), f"Words of job {index} come in another order: {order}, not {self.order}"
            self.order = order


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await bench.begin()
    await bench.check_rollouts((0.0, 0.0), (0.9, 0.0), (0.0, 0.9), (0.2, 0.2))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    bench = Bench(dut)
    await bench.begin()
    bench.output.stall = 1
    agents = bench.config.agents
    expected = await bench.put([1] * agents)
    for _ in range(9):
        for agent in range(agents):
            bench.jobs.put({"agent": agent, "steps": 1})
    await bench.pass_cycles(10 * agents * parameters()["cycles"][1])
    assert bench.jobs.count < 10 * agents, "All jobs were taken, though no word was"
    bench.output.stall = 0
    await bench.check(10 * expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await bench.begin()
    cycles, latency, config = parameters()["cycles"], parameters()["latency"], bench.config
    for steps in range(1, config.steps + 1):
        if steps < config.gradient_engines:
            # More words are made than leave.
            continue
        seen = TransferCycles(dut, "jobs", "gradients")
        bench.reads = dict.fromkeys(bench.reads, 0)
        await bench.check(await bench.put([steps] * config.agents))
        between = np.diff(seen.taken["jobs"])
        compare([cycles[steps]] * len(between), between, "cycles between jobs of steps", steps)
        last = seen.taken["gradients"][config.words - 1] - seen.taken["jobs"][0]
        compare(cycles[steps] + latency + 1, int(last), "cycles from a job to its last word", steps)
        rows = [(-(-layer.outputs // config.gradient_engines), layer) for layer in config.layers]
        reads = {
            "activations": sum(count * layer.blocks for count, layer in rows),
            "errors": sum(count + layer.groups for count, layer in rows),
        }
        reads = {kind: config.agents * steps * count for kind, count in reads.items()}
        compare(reads, bench.reads, "words read for steps", steps)
