"""Values come out of a skid buffer as they went in, in the same cycle if they can."""

import cocotb
from cocotb.triggers import RisingEdge, Timer

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng

WIDTH = 21


@cocotb.test()
async def order_is_kept(dut):
    stall = parameters()["stall"]
    source, sink = StreamSource(dut, "i", stall=stall), StreamSink(dut, "o", stall=stall)
    random = rng("values")
    values = [int(random.integers(0, 1 << WIDTH)) for _ in range(300)]
    await clock_and_reset(dut)
    for value in values:
        source.put(value)
    for index, value in enumerate(values):
        compare(value, await sink.receive(), "o", index)


async def settled():
    """Past the delta cycles in which what was written lands, in the same cycle of the clock."""
    await Timer(1, "ns")


@cocotb.test()
async def holds_one_value_and_passes_without_a_cycle(dut):
    dut.i__valid.value = 0
    dut.o__ready.value = 0
    await clock_and_reset(dut)
    dut.i__valid.value = 1
    accepted = []
    for cycle in range(4):
        # An element that was not accepted stays.
        dut.i__payload.value = 5 + sum(accepted)
        await settled()
        compare((1, 5), (int(dut.o__valid.value), int(dut.o__payload.value)), "o", cycle)
        accepted.append(int(dut.i__ready.value))
        await RisingEdge(dut.clk)
    assert accepted == [1, 0, 0, 0]


@cocotb.test()
async def ready_does_not_follow_the_other_side(dut):
    random = rng("sides")
    dut.i__valid.value = 0
    dut.o__ready.value = 0
    await clock_and_reset(dut)
    taken = True
    for cycle in range(100):
        if taken or not dut.i__valid.value:
            dut.i__valid.value = int(random.integers(0, 2))
            dut.i__payload.value = int(random.integers(0, 1 << WIDTH))
        said = []
        for ready in (0, 1):
            dut.o__ready.value = ready
            await settled()
            said.append(int(dut.i__ready.value))
        compare(said[0], said[1], "i.ready", cycle)
        dut.o__ready.value = int(random.integers(0, 2))
        await RisingEdge(dut.clk)
        taken = bool(dut.i__ready.value)
