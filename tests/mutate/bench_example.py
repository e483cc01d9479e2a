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


@cocotb.test()
async def without_end_if_wrong(dut):
    """Never begins, as the test before it also fails then."""
    dut.a.value, dut.b.value = 3, 5
    await Timer(1, "ns")
    while int(dut.result.value) != 5:
        pass
