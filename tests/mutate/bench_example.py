"""All pairs of numbers through the example."""

import cocotb
from cocotb.triggers import Timer

from rewardware.sim.cocotb import clock_and_reset, compare


@cocotb.test()
async def larger_of_all_pairs(dut):
    await clock_and_reset(dut)
    for index in range(64):
        dut.a.value, dut.b.value = index >> 3, index & 7
        await Timer(1, "ns")
        compare(max(index >> 3, index & 7), dut.result.value, "result", index)
