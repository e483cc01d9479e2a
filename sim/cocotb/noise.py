"""Noise on all inputs before the first test of a bench: what a reset leaves as it was shows in the tests."""

from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

from .bench import CLOCK_PERIOD_NANOSECONDS, current_run, rng

CYCLES = 100


@cocotb.test()
async def noise(dut: Any) -> None:
    """A component with a clock and a reset is used in no sensible way, and reset."""
    inputs = current_run().inputs
    if not hasattr(dut, "clk") or not hasattr(dut, "rst"):
        return
    random = rng("noise")
    clock = Clock(dut.clk, CLOCK_PERIOD_NANOSECONDS, unit="ns")
    dut.rst.value = 0
    clock.start(start_high=False)
    for _ in range(CYCLES):
        for name, width in inputs.items():
            # An input that the component does not use is not there.
            if hasattr(dut, name):
                getattr(dut, name).value = int.from_bytes(random.bytes(width // 8 + 1)) & (1 << width) - 1
        await RisingEdge(dut.clk)
    for name in inputs:
        if hasattr(dut, name):
            getattr(dut, name).value = 0
    # Also here: a monitor of the bench looks before the bench's own reset.
    dut.rst.value = 1
    await ClockCycles(dut.clk, 2)
    dut.rst.value = 0
    clock.stop()
