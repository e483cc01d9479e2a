"""Inferences of several agents against the reference, what they leave in the memories, and the cycles that they take.

Parameters: ``config``; ``cycles``, of a job; ``latency``, from the last read of one to its result.
"""

import cocotb
import numpy as np

from rewardware.sim.cocotb import compare, parameters
from rewardware.sw.reference.a3c.network import forward_sums, infer
from tests.hw.cores.layer.stimulus import numbers
from tests.hw.cores.transfer_cycles import TransferCycles

from .agents_bench import AgentsBench
from .words import bits_of, pack_rows, with_corners


class Bench(AgentsBench):
    """Jobs are pairs of agent and slot."""

    def __init__(self, dut):
        super().__init__(dut, "results")
        # What shared layers leave, by agent, slot and row.
        self.left = {}

    def draw(self):
        """Each agent and slot, in any order."""
        jobs = [(agent, slot) for agent in range(self.config.agents) for slot in range(self.config.slots)]
        return [jobs[index] for index in self.random.permutation(len(jobs))]

    async def put(self, jobs, share=0.0):
        """Observations to the memories, then jobs; returns the results that have to come."""
        config, expected = self.config, []
        for agent, slot in jobs:
            observation = numbers(self.random, self.format, config.sizes[0])
            observation = with_corners(config, self.random, observation, share)
            first = slot * config.activation_rows
            await self.load("activations", agent, first, pack_rows(config, bits_of(config, observation)))
            inference = infer(config, self.networks[agent], observation)
            outputs = forward_sums(self.format, config.layers[-1], self.networks[agent][-1], inference.inputs[-1])
            expected.append({"agent": agent, "slot": slot, "outputs": bits_of(config, outputs).tolist()})
            for layer, values in zip(config.layers[1:], inference.inputs[1:], strict=True):
                rows = pack_rows(config, bits_of(config, values)).tolist()
                self.left |= {(agent, first + layer.input_row + row): word for row, word in enumerate(rows)}
        for agent, slot in jobs:
            self.jobs.put({"agent": agent, "slot": slot})
        return expected

    async def check(self, expected):
        """Results, then activations and signs of all jobs since the last check."""
        for index, result in enumerate(expected):
            compare(result, await self.output.receive(), "results", index)
        await self.pass_cycles(1)
        for (agent, row), word in self.left.items():
            compare([word], await self.read("activations", agent, row, 1), f"activations of agent {agent}", row)
            bits = sum((number != 0) << lane for lane, number in enumerate(word))
            compare([bits], await self.read("signs", agent, row, 1), f"signs of agent {agent}", row)
        self.left.clear()


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await bench.begin()
    await bench.check_with_stalls((0.0, 0.0), (0.9, 0.0), (0.2, 0.2))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    bench = Bench(dut)
    await bench.begin()
    bench.output.stall = 1
    expected = await bench.put(jobs := bench.draw())
    await bench.pass_cycles((len(jobs) + 1) * parameters()["cycles"])
    assert bench.jobs.count == 2, f"{bench.jobs.count} jobs were taken though there is room for two results"
    bench.output.stall = 0
    await bench.check(expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await bench.begin()
    seen = TransferCycles(dut, "jobs", "results")
    expected = await bench.put(bench.draw())
    await bench.check(expected)
    cycles, latency = parameters()["cycles"], parameters()["latency"]
    compare([cycles] * (len(expected) - 1), np.diff(seen.taken["jobs"]), "cycles between jobs", 0)
    compare(
        [cycles + latency + 1] * len(expected),
        np.subtract(seen.offered["results"], seen.taken["jobs"]),
        "cycles from a job to its result",
        0,
    )
    blocks = sum(layer.blocks for layer in bench.config.layers)
    reads = {"parameters": bench.config.words, "activations": blocks}
    compare({kind: len(expected) * count for kind, count in reads.items()}, bench.reads, "words read", 0)
