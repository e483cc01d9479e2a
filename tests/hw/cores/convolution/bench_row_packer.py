"""Runs of elements into rows.

Parameters: ``comes``, what goes in; ``rows``, what must come out.
"""

import cocotb

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare_all, parameters


@cocotb.test()
async def rows(dut):
    run = parameters()
    source, sink = StreamSource(dut, "i"), StreamSink(dut, "o")
    await clock_and_reset(dut)
    for stalls in ((0.5, 0.0), (0.0, 0.5), (0.3, 0.3), (0.0, 0.0)):
        source.stall, sink.stall = stalls
        for elements in run["comes"]:
            source.put(elements)
        compare_all(run["rows"], await sink.receive_all(len(run["rows"])), "rows")
