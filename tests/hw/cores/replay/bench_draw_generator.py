"""Batches of draws, with segments and without, and the cycles that they take."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.replay.config import DRAW_WIDTH
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.replay.draws import DrawReference
from tests.hw.cores.transfer_cycles import TransferCycles

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
    lanes = parameters()["lanes"]
    reference, random, number = DrawReference(), rng("batches"), 0
    for stall in (0.3, 0.0, 0.8):
        source.stall = sink.stall = stall
        for count in (1, 2, 3, 7, 8, 100):
            # Segments as a driver makes them, the narrowest and the widest.
            for segment in (0, ONE // count if count > 1 else 0, 1, ONE - 1, int(random.integers(ONE))):
                source.put({"count": count, "segment": segment})
                draws = reference.draws(count, segment).tolist()
                for first in range(0, count + 1, lanes):
                    made = draws[first : first + lanes]
                    got = await sink.receive()
                    expected = {"has_draw": (1 << len(made)) - 1, "last": int(first + lanes > count), "draws": made}
                    # Places without a draw hold anything.
                    compare(expected, got | {"draws": got["draws"][: len(made)]}, "draws", number)
                    number += 1
        state = int(random.integers(1, 1 << 63))
        await seed(dut, state)
        reference = DrawReference(state)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    source, sink = StreamSource(dut, "batches", stall=0), StreamSink(dut, "draws", stall=0)
    dut.seed.value = 0
    await clock_and_reset(dut)
    lanes = parameters()["lanes"]
    beats = 100 // lanes + 1
    seen = TransferCycles(dut, "batches", "draws")
    source.put({"count": 100, "segment": 1 << 40})
    await sink.receive_all(beats)
    (first,) = seen.taken["batches"]
    compare([first + 6 + beat for beat in range(beats)], seen.taken["draws"], "cycles of draws", 0)
