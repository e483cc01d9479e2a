import cocotb
from cocotb.triggers import FallingEdge

from rewardware.sim.cocotb import clock_and_reset, compare


@cocotb.test()
async def counts_from_zero(dut):
    dut.enable.value = 0
    await clock_and_reset(dut)
    dut.enable.value = 1
    for expected in range(10):
        await FallingEdge(dut.clk)
        compare(expected, dut.count.value, "count", expected)


@cocotb.test()
async def stays_without_enable(dut):
    dut.enable.value = 0
    await clock_and_reset(dut)
    await FallingEdge(dut.clk)
    compare(0, dut.count.value, "count", 0)
