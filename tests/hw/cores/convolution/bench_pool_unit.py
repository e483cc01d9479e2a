"""What a pooling unit writes to a feature map.

Parameters: ``writer``, its configuration; ``pools``, each with a picture, rows of multipliers, a command, and what it
writes in how many cycles.
"""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSource, clock_and_reset, parameters

from .bench_store_unit import packed, written


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
    for number, pool in enumerate(run["pools"]):
        await _write_memories(dut, run["writer"], pool)
        commands.put(pool["command"])
        places, saturated, cycles = await written(dut, run["writer"].features)
        wrong = {place for place in pool["places"].keys() | places if pool["places"].get(place) != places.get(place)}
        assert not wrong, f"pool {number}: {len(wrong)} of {len(pool['places'])} places differ, as {sorted(wrong)[:5]}"
        assert saturated == pool["saturated"], f"pool {number}: {saturated} saturated, not {pool['saturated']}"
        assert cycles == pool["cycles"], f"pool {number}: {cycles} cycles, not {pool['cycles']}"
