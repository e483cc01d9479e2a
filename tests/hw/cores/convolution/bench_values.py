"""Values through a component with one stream in and one out.

Parameters: ``comes``, what goes in; ``leaves``, what must come out; ``head``, values before the first one leaves.
"""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare_all, parameters

# From a transfer to its count.
EDGES = 3


@cocotb.test()
async def in_order(dut):
    run = parameters()
    source, sink = StreamSource(dut, "i"), StreamSink(dut, "o")
    await clock_and_reset(dut)
    for stalls in ((0.5, 0.0), (0.0, 0.5), (0.3, 0.3)):
        source.stall, sink.stall = stalls
        for value in run["comes"]:
            source.put(value)
        compare_all(run["leaves"], await sink.receive_all(len(run["leaves"])), "values")
    # A value a cycle on the side that has more of them, once the first block is there.
    source.stall = sink.stall = 0
    for value in run["comes"]:
        source.put(value)
    while not int(dut.i__valid.value):
        await RisingEdge(dut.clk)
    cycles = 0
    while sink.count < 4 * len(run["leaves"]):
        await RisingEdge(dut.clk)
        cycles += 1
    compare_all(run["leaves"], await sink.receive_all(len(run["leaves"])), "values")
    limit = max(len(run["comes"]), len(run["leaves"])) + run["head"] + EDGES
    assert cycles <= limit, f"{cycles} cycles, not {limit}"
