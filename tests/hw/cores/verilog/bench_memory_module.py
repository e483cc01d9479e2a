import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import clock_and_reset, compare_all, parameters


@cocotb.test()
async def same_as_amaranth(dut):
    await clock_and_reset(dut)
    outputs = []
    for inputs in parameters()["inputs"]:
        for name, value in inputs.items():
            getattr(dut, name).value = value
        await RisingEdge(dut.clk)
        outputs.append({name: int(getattr(dut, name).value) for name in parameters()["words"]})
    compare_all(parameters()["outputs"], outputs, "words")
