"""Batches of draws, with segments and without, and the cycles that they take."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.replay.config import DRAW_WIDTH
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, rng
from rewardware.sw.reference.replay.draws import DrawReference

ONE = 1 << DRAW_WIDTH


async def seed(dut, state):
    # The layout of `seed`: a bit, then the state.
    dut.seed.value = 1 | state << 1
    await RisingEdge(dut.clk)
    dut.seed.value = 0


@cocotb.test()
async def draws_as_the_reference(dut):
    source, sink = StreamSource(dut, "batches"), StreamSink(dut, "draws")
    dut.seed.value = 0
    await clock_and_reset(dut)
    reference, random, number = DrawReference(), rng("batches"), 0
    for stall in (0.3, 0.0, 0.8):
        source.stall = sink.stall = stall
        for count in (1, 2, 3, 7, 8, 100):
            # Segments as a driver makes them, the narrowest and the widest.
            for segment in (0, ONE // count if count > 1 else 0, 1, ONE - 1, int(random.integers(ONE))):
                source.put({"count": count, "segment": segment})
                draws = reference.draws(count, segment).tolist()
                for index, draw in enumerate(draws, 1):
                    expected = {"draw": draw, "last": int(index == count)}
                    compare(expected, await sink.receive(), "draws", number)
                    number += 1
        state = int(random.integers(1, 1 << 63))
        await seed(dut, state)
        reference = DrawReference(state)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    source, sink = StreamSource(dut, "batches", stall=0), StreamSink(dut, "draws", stall=0)
    dut.seed.value = 0
    await clock_and_reset(dut)
    source.put({"count": 100, "segment": 1 << 40})
    while not source.count:
        await RisingEdge(dut.clk)
    cycles = 0
    while sink.count < 100:
        await RisingEdge(dut.clk)
        cycles += 1
    await sink.receive_all(100)
    assert abs(cycles - (99 + 6)) <= 1, f"100 draws took {cycles} cycles"
