"""Drives the columns of ``check_pipeline``."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge, Timer

from rewardware.sim.cocotb import clock_and_reset, compare, parameters


@cocotb.test()
async def follows_the_reference(dut):
    """Every output equals the expected one, the latency after its input, input after input without a gap."""
    run = parameters()
    inputs, expected, signed, latencies = run["inputs"], run["expected"], run["signed"], run["latencies"]
    clocked = any(latencies.values())
    for name, values in inputs.items():
        getattr(dut, name).value = values[0]
    await clock_and_reset(dut)
    for cycle in range(max(len(values) + latencies[name] for name, values in expected.items())):
        for name, values in inputs.items():
            getattr(dut, name).value = values[min(cycle, len(values) - 1)]
        await (ReadOnly() if clocked else Timer(1, "ns"))
        for name, values in expected.items():
            index = cycle - latencies[name]
            if 0 <= index < len(values):
                got = int(getattr(dut, name).value)
                if name in signed and got >> signed[name] - 1:
                    got -= 1 << signed[name]
                compare(values[index], got, name, index)
        if clocked:
            await RisingEdge(dut.clk)
