"""Values come out of a buffer as they went in."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng


@cocotb.test()
async def order_is_kept(dut):
    given = parameters()
    source, sink = StreamSource(dut, "i", stall=given["stall"]), StreamSink(dut, "o", stall=given["stall"])
    random = rng("values")
    values = [int(random.integers(0, 1 << 21)) for _ in range(300)]
    await clock_and_reset(dut)
    for value in values:
        source.put({"data": value & 0xFFFFF, "last": value >> 20})
    for index, value in enumerate(values):
        compare({"data": value & 0xFFFFF, "last": value >> 20}, await sink.receive(), "o", index)


@cocotb.test()
async def order_is_kept_when_full_and_when_empty(dut):
    source, sink = StreamSource(dut, "i"), StreamSink(dut, "o")
    random = rng("more values")
    await clock_and_reset(dut)
    for source.stall, sink.stall in ((0, 0.8), (0.8, 0), (0, 0)):
        values = random.integers(0, 1 << 21, 100).tolist()
        for value in values:
            source.put({"data": value & 0xFFFFF, "last": value >> 20})
        for index, value in enumerate(values):
            compare({"data": value & 0xFFFFF, "last": value >> 20}, await sink.receive(), "o", index)


@cocotb.test()
async def holds_depth_values_after_its_latency(dut):
    given = parameters()
    dut.i__valid.value = 0
    dut.o__ready.value = 0
    await clock_and_reset(dut)
    dut.i__payload.value = 5
    dut.i__valid.value = 1
    accepted, first = 0, None
    for cycle in range(given["depth"] + 10):
        await RisingEdge(dut.clk)
        accepted += int(dut.i__ready.value)
        if first is None and dut.o__valid.value == 1:
            first = cycle
    assert accepted == given["depth"]
    assert first == given["latency"]
    assert dut.level.value == given["depth"]
