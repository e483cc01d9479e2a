"""Commands of a loop nest, and values of all their iterations.

Parameters: ``commands``, and ``expected``, values and ends of each.
"""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare_all, parameters


@cocotb.test()
async def in_order(dut):
    run = parameters()
    commands, made = StreamSource(dut, "commands"), StreamSink(dut, "o")
    await clock_and_reset(dut)
    everything = [values for expected in run["expected"] for values in expected]
    for stalls in ((0.5, 0.0), (0.0, 0.5), (0.4, 0.4)):
        commands.stall, made.stall = stalls
        for command in run["commands"]:
            commands.put(command)
        compare_all(everything, await made.receive_all(len(everything)), "values")


@cocotb.test()
async def without_a_gap(dut):
    run = parameters()
    commands, made = StreamSource(dut, "commands"), StreamSink(dut, "o")
    await clock_and_reset(dut)
    commands.stall = made.stall = 0
    for command in run["commands"]:
        commands.put(command)
    while not int(dut.o__valid.value):
        await RisingEdge(dut.clk)
    for _ in range(sum(map(len, run["expected"])) - 1):
        await RisingEdge(dut.clk)
        assert int(dut.o__valid.value), "a gap"
    await made.receive_all(sum(map(len, run["expected"])))
