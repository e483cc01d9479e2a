"""Values through a fork, to each of its streams at that stream's own pace."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare_all, parameters, rng


@cocotb.test()
async def all_get_everything(dut):
    source = StreamSource(dut, "i")
    sinks = [StreamSink(dut, f"o__{way}") for way in range(parameters()["ways"])]
    await clock_and_reset(dut)
    random = rng("values")
    for stalls in ((0.3, 0.3, 0.3), (0, 0.9, 0), (0.9, 0, 0.5), (0, 0, 0)):
        source.stall = stalls[0]
        for sink, stall in zip(sinks, stalls, strict=False):
            sink.stall = stall
        values = random.integers(1 << 5, size=200).tolist()
        for value in values:
            source.put(value)
        for sink in sinks:
            compare_all(values, await sink.receive_all(200), sink.name)


@cocotb.test()
async def a_value_a_cycle(dut):
    source = StreamSource(dut, "i", stall=0)
    sinks = [StreamSink(dut, f"o__{way}", stall=0) for way in range(parameters()["ways"])]
    await clock_and_reset(dut)
    for value in range(100):
        source.put(value % 32)
    for _ in range(103):
        await RisingEdge(dut.clk)
    assert [len(sink) for sink in sinks] == [100] * len(sinks)
