import cocotb
from cocotb.triggers import RisingEdge, Timer

from rewardware.sim.cocotb import clock_and_reset, compare_all, parameters


@cocotb.test()
async def same_as_amaranth(dut):
    await clock_and_reset(dut)
    outputs = []
    for value, restart in parameters()["inputs"]:
        dut.requests__payload.value = value
        dut.restart.value = restart
        await RisingEdge(dut.clk)
        outputs.append(int(dut.o.value))
    compare_all(parameters()["outputs"], outputs, "o")


@cocotb.test()
async def constant_parts(dut):
    for choose in (0, 1, 0):
        dut.choose.value, dut.value.value = choose, 5
        await Timer(1, unit="ns")
        compare_all([0xB5 if choose else 0xB0], [int(dut.o.value)], "o")
