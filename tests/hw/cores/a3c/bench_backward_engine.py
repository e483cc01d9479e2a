"""Errors of rollouts back through the networks of several agents, against the reference, and the cycles that it takes.

Parameters: ``config``; ``cycles``, of a job, by its steps; ``latency``, from its last read to its end.
"""

import cocotb
import numpy as np

from rewardware.sim.cocotb import compare, parameters
from tests.hw.cores.transfer_cycles import TransferCycles

from .rollouts import RolloutsBench
from .words import bits_of, pack_rows


class Bench(RolloutsBench):
    """Jobs, and the errors that they leave."""

    def __init__(self, dut):
        # The errors of the last layer.
        super().__init__(dut, "done", slice(-1, None))

    async def check(self, expected):
        """Ends of jobs, then the errors of all layers."""
        await self.check_ends([len(errors[0]) for _, errors in expected])
        await self.check_errors(expected)

    async def check_ends(self, steps):
        """Ends of jobs of all agents, in their order."""
        for index, count in enumerate(steps):
            job = {"agent": index % self.config.agents, "steps": count}
            compare(job, await self.output.receive(), "done", index)

    async def check_errors(self, expected):
        """Errors of all layers; no job is under way."""
        await self.pass_cycles(1)
        for agent, (_, found) in enumerate(expected):
            for number, (layer, errors) in enumerate(zip(self.config.layers, found, strict=True)):
                for step, rows in enumerate(pack_rows(self.config, bits_of(self.config, errors))):
                    first = step * self.config.error_rows + layer.output_row
                    got = await self.read("errors", agent, first, layer.groups)
                    compare(rows.tolist(), got, f"errors of agent {agent}, layer {number}, step", step)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await bench.begin()
    await bench.check_rollouts((0.0, 0.0), (0.9, 0.0), (0.2, 0.2))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    bench = Bench(dut)
    await bench.begin()
    bench.output.stall = 1
    expected = await bench.put(steps := bench.draw())
    for _ in range(3):
        for agent, count in enumerate(steps):
            bench.jobs.put({"agent": agent, "steps": count})
    await bench.pass_cycles(4 * len(steps) * max(parameters()["cycles"].values()))
    assert bench.jobs.count == 2, f"{bench.jobs.count} jobs were taken though there is room for two ends"
    bench.output.stall = 0
    await bench.check_ends(4 * steps)
    await bench.check_errors(expected)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await bench.begin()
    seen = TransferCycles(dut, "jobs", "done")
    steps = []
    for _ in range(bench.config.steps):
        steps += (counts := bench.draw())
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
    products = sum(layer.outputs * layer.blocks for layer in bench.config.layers[1:])
    words = sum(layer.blocks for layer in bench.config.layers[1:])
    reads = {"parameters": products * len(steps), "errors": products * sum(steps), "signs": words * sum(steps)}
    compare(reads, bench.reads, "words read", 0)
