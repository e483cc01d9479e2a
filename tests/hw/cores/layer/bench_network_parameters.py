"""Updates of a network, one after another; ``cycles``: those of its slowest layer."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.sim.cocotb import clock_and_reset, compare, parameters


@cocotb.test()
async def updated_when_the_last_layer_is(dut):
    """The next update begins with the end of the one before, or later."""
    dut.start_update.value = dut.start_transfer.value = dut.parameters_in__valid.value = 0
    await clock_and_reset(dut)
    # The layers' ends are collected in a register.
    cycles = parameters()["cycles"] + 1
    starts, ends = [], []
    for cycle in range(8 * cycles):
        await FallingEdge(dut.clk)
        if int(dut.updated.value):
            ends.append(cycle)
        # Every second one waits.
        begins = cycle == (ends[-1] + len(ends) % 2 * 3 if ends else 0)
        dut.start_update.value = int(begins)
        if begins:
            starts.append(cycle)
        await RisingEdge(dut.clk)
    assert len(ends) > 4
    compare([cycles] * len(ends), [end - start for start, end in zip(starts, ends, strict=False)], "cycles", 0)
