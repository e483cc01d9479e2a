"""A bench that drives streams by itself and looks at nothing: what is wrong only the rule of streams can find."""

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from rewardware.sim.cocotb import clock_and_reset, parameters, rng

CYCLES = 400


@cocotb.test()
async def moves(dut):
    random = rng("moves")
    dut.requests__valid.value = 0
    dut.results__ready.value = 0
    await clock_and_reset(dut)
    for _ in range(CYCLES):
        dut.results__ready.value = int(random.integers(0, 2))
        if parameters()["faithless"] or dut.requests__ready.value or not dut.requests__valid.value:
            dut.requests__valid.value = int(random.integers(0, 2))
            dut.requests__payload.value = int(random.integers(0, 1 << 24))
        await RisingEdge(dut.clk)


@cocotb.test()
async def waits(dut):
    """For ever, from the start and after values have moved."""
    dut.requests__valid.value = 0
    await clock_and_reset(dut)
    dut.requests__valid.value = 1
    dut.results__ready.value = 1
    await ClockCycles(dut.clk, CYCLES)
