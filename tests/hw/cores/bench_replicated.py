import cocotb
from cocotb.triggers import RisingEdge

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
