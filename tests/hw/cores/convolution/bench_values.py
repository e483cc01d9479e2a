"""Values through a component with one stream in and one out.

Parameters: ``comes``, what goes in; ``leaves``, what must come out; ``head``, values before the first one
leaves, and ``latency`` from the last of these to it.
"""

import cocotb

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare_all, parameters
from tests.hw.cores.transfer_cycles import TransferCycles


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
    # A value a cycle on the side that has more of them.
    source.stall = sink.stall = 0
    seen = TransferCycles(dut, "i", "o")
    for value in run["comes"]:
        source.put(value)
    compare_all(run["leaves"], await sink.receive_all(len(run["leaves"])), "values")
    came, left = seen.taken["i"], seen.taken["o"]
    latency = left[0] - came[run["head"] - 1]
    assert latency == run["latency"], f"a latency of {latency} cycles, not {run['latency']}"
    side = came if len(came) >= len(left) else left
    assert side[-1] - side[0] == len(side) - 1, f"{side[-1] - side[0] + 1} cycles for {len(side)} values"
