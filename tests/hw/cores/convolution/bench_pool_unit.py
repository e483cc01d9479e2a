"""A pooling unit writes to a feature map.

Parameters: ``writer``, its configuration; ``pools``, each with a picture, rows of multipliers, commands, and what they
write in how many cycles.
"""

import random
from itertools import product

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSource, clock_and_reset, parameters

from .bench_store_unit import packed, written
from .bench_window_reader import grant_at_random


async def _write_memories(dut, writer, pool):
    memory, where = writer.features, pool["where"]
    for first in range(0, len(pool["picture"]), memory.lanes):
        words = pool["picture"][first : first + memory.lanes]
        dut.write__row.value, dut.write__lane.value = divmod(where["place"] + first, memory.lanes)
        dut.write__enable.value, dut.write__data.value = (1 << len(words)) - 1, packed(words, memory.width)
        await RisingEdge(dut.clk)
    dut.write__enable.value = 0
    for row, multipliers in enumerate(pool["parameters"], where["parameter_row"]):
        dut.parameters__enable.value, dut.parameters__address.value = 1, row
        dut.parameters__data.value = packed(multipliers, 16) << writer.sum_width * writer.lanes
        await RisingEdge(dut.clk)
    dut.parameters__enable.value = 0
    await RisingEdge(dut.clk)


@cocotb.test()
async def words(dut):
    run = parameters()
    commands = StreamSource(dut, "commands")
    await clock_and_reset(dut)
    for (number, pool), rng in product(enumerate(run["pools"]), (None, random.Random(1))):
        await _write_memories(dut, run["writer"], pool)
        dut.read_granted.value = 1
        others = cocotb.start_soon(grant_at_random(dut, dut.read_granted)) if rng else None
        for command in pool["commands"]:
            commands.put(command)
        places, saturated, cycles = await written(dut, run["writer"].features, rng, len(pool["commands"]))
        if others:
            others.cancel()
        wrong = {place for place in pool["places"].keys() | places if pool["places"].get(place) != places.get(place)}
        assert not wrong, f"pool {number}: {len(wrong)} of {len(pool['places'])} places differ, as {sorted(wrong)[:5]}"
        assert saturated == pool["saturated"], f"pool {number}: {saturated} saturated, not {pool['saturated']}"
        assert rng or cycles == pool["cycles"], f"pool {number}: {cycles} cycles, not {pool['cycles']}"
