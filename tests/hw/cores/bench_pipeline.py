"""Drives the columns of ``check_pipeline``."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge, Timer

from rewardware.sim.cocotb import clock_and_reset, compare, parameters


@cocotb.test()
async def follows_the_reference(dut):
    """Every output equals the expected one, the latency after its input, input after input without a gap."""
    run = parameters()
    inputs, expected, signed, latency = run["inputs"], run["expected"], run["signed"], run["latency"]
    count = len(next(iter(inputs.values())))
    for name, values in inputs.items():
        getattr(dut, name).value = values[0]
    await clock_and_reset(dut)
    for cycle in range(count + latency):
        for name, values in inputs.items():
            getattr(dut, name).value = values[min(cycle, count - 1)]
        await (ReadOnly() if latency else Timer(1, "ns"))
        if cycle >= latency:
            for name, values in expected.items():
                got = int(getattr(dut, name).value)
                if name in signed and got >> signed[name] - 1:
                    got -= 1 << signed[name]
                compare(values[cycle - latency], got, name, cycle - latency)
        if latency:
            await RisingEdge(dut.clk)
