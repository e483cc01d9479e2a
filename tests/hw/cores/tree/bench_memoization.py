"""Writes and reads of random workers in every cycle, against a dictionary."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.tree.memoization import Memoization
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng

from ..side_by_side import Ports


async def follow(dut, name, config):
    ports, random = Ports(dut, Memoization(config), name), rng(name)
    # Of all workers, and what was read last.
    memories, found = {}, None
    # First the lowest and the highest worker, with the lowest and the highest numbers.
    for cycle in range(1500):
        corner = cycle < 20
        highest = bool(random.integers(2))

        def number(bound, corner=corner, highest=highest):
            return (bound - 1) * highest if corner else int(random.integers(bound))

        memory = {
            "part": number(4),
            "node": {"bank": number(config.banks), "row": number(config.rows)},
            "action": number(config.fanout),
        }
        write = {"valid": int(random.random() < 0.6), "worker": number(config.workers), "memory": memory}
        # Often of the worker that is being written. What was never written means nothing.
        near = write["worker"] if random.random() < 0.4 else number(config.workers)
        read = {"valid": int(near in memories and random.random() < 0.6), "worker": near}
        ports.set(write=write, read=read)
        got = await ports.outputs()
        if found is not None:
            compare(found, got["found"], f"{name}, found in cycle", cycle)
        await RisingEdge(dut.clk)
        if read["valid"]:
            found = memories[near]
        if write["valid"]:
            memories[write["worker"]] = memory
    assert len(memories) == config.workers


@cocotb.test()
async def remembers_the_last_of_each_worker(dut):
    await clock_and_reset(dut)
    for name, config in parameters()["shapes"].items():
        await follow(dut, name, config)
