import cocotb
from cocotb.triggers import Timer

from rewardware.sim.cocotb import compare_all


@cocotb.test()
async def constant_parts(dut):
    for choose in (0, 1, 0):
        dut.choose.value, dut.value.value = choose, 5
        await Timer(1, unit="ns")
        compare_all([0xB5 if choose else 0xB0], [int(dut.o.value)], "o")
