"""Batches of any size through the gate, and nothing between them."""

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, with_timeout
from cocotb.utils import get_sim_time

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, compare_all, parameters, rng
from rewardware.sim.cocotb.bench import CLOCK_PERIOD_NANOSECONDS

WIDTH = 9
LARGEST_BATCH = (1 << 16) - 1


async def start(dut):
    dut.open.value = 0
    source, sink = StreamSource(dut, "i", stall=0), StreamSink(dut, "o", stall=0)
    await clock_and_reset(dut)
    return source, sink


async def open_gate(dut, batch):
    """A batch; its size is noise before and after."""
    dut.open.value, dut.batch.value = 1, batch
    await RisingEdge(dut.clk)
    dut.open.value, dut.batch.value = 0, 1


@cocotb.test()
async def batches_pass_and_the_rest_waits(dut):
    elements, random = parameters()["elements"], rng("batches")
    source, sink = await start(dut)
    values = random.integers(1 << WIDTH, size=300).tolist()
    for value in values:
        source.put(value)
    passed = 0
    for index, stalls in enumerate(((0, 0), (0.5, 0), (0, 0.5), (0.8, 0.8)) * 4):
        source.stall, sink.stall = stalls
        batch = int(random.integers(1, 6))
        await open_gate(dut, batch)
        count = batch * elements
        compare_all(values[passed : passed + count], await sink.receive_all(count), "o")
        passed += count
        # Closed, though there is more to take, and whoever takes it is ready.
        sink.stall = 0
        await ClockCycles(dut.clk, int(random.integers(1, 20)))
        compare((passed, 0), (sink.count, len(sink)), "elements", index)
    assert passed < len(values) - 2, "there was nothing to hold back"


@cocotb.test()
async def an_element_a_cycle_from_the_next_one_on(dut):
    elements = parameters()["elements"]
    source, sink = await start(dut)
    for value in range(20 * elements):
        source.put(value)
    await ClockCycles(dut.clk, 5)
    for batch in range(1, 4):
        await open_gate(dut, batch)
        before = sink.count
        counts = []
        for _ in range(batch * elements + 2):
            await RisingEdge(dut.clk)
            counts.append(sink.count - before)
        compare([min(cycle, batch * elements) for cycle in range(len(counts))], counts, "elements by cycle", batch)


@cocotb.test()
async def counts_large_batches(dut):
    """Every bit of the count: open for as many cycles as there are elements."""
    elements = parameters()["elements"]
    dut.open.value, dut.i__valid.value, dut.o__ready.value = 0, 1, 1
    await clock_and_reset(dut)
    await ClockCycles(dut.clk, 3)
    for index, batch in enumerate((LARGEST_BATCH, 1 << 10)):
        await open_gate(dut, batch)
        since, cycles = get_sim_time("ns"), batch * elements
        await with_timeout(FallingEdge(dut.o__valid), (cycles + 10) * CLOCK_PERIOD_NANOSECONDS, "ns")
        compare(cycles * CLOCK_PERIOD_NANOSECONDS, round(get_sim_time("ns") - since), "time open", index)
        await RisingEdge(dut.clk)


@cocotb.test()
async def ready_does_not_follow_the_other_side(dut):
    dut.open.value, dut.i__valid.value, dut.o__ready.value = 0, 0, 0
    await clock_and_reset(dut)
    await open_gate(dut, 3)
    dut.i__valid.value = 1
    accepted = []
    for _ in range(4):
        await RisingEdge(dut.clk)
        accepted.append(int(dut.i__ready.value))
    compare([1, 0, 0, 0], accepted, "i.ready", 0)
