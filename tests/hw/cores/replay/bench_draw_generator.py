"""Batches of draws, with segments and without, and the cycles that they take."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.random.xorshift import SHIFTS, STATE_WIDTH
from rewardware.hw.cores.replay.config import DRAW_WIDTH
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.replay.draws import DrawReference
from tests.hw.cores.transfer_cycles import TransferCycles

ONE = 1 << DRAW_WIDTH
LARGEST_COUNT = (1 << 16) - 1


def preceding_state(state):
    """The state of the generator before ``state``: its three steps undone, the last one first."""
    left, right, left_again = SHIFTS
    for shift in (left_again, -right, left):
        mixed = state
        # Each time the next bits beside those that are right already.
        for _ in range(STATE_WIDTH // abs(shift)):
            state = mixed ^ (state << shift if shift > 0 else state >> -shift) & (1 << STATE_WIDTH) - 1
    return state


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
async def draws_at_the_ends_of_their_parts(dut):
    """Products of draw and segment next to whole numbers: the lowest bit of a sum decides. Also segments of one bit."""
    source, sink = StreamSource(dut, "batches", stall=0), StreamSink(dut, "draws", stall=0)
    dut.seed.value = 0
    await clock_and_reset(dut)
    lanes, random = parameters()["lanes"], rng("ends")
    cases = [(1 << bit, int(random.integers(ONE))) for bit in range(DRAW_WIDTH)]
    for remainder in (1, 2, 3, -1, -2, -3) * 4:
        segment = int(random.integers(ONE)) | 1
        cases.append((segment, remainder * pow(segment, -1, ONE) % ONE))
    for number, (segment, draw) in enumerate(cases):
        for lane in range(lanes):
            state = draw << STATE_WIDTH - DRAW_WIDTH | int(random.integers(1, 1 << STATE_WIDTH - DRAW_WIDTH))
            for _ in range(lane + 1):
                state = preceding_state(state)
            await seed(dut, state)
            source.put({"count": lanes, "segment": segment})
            draws = DrawReference(state).draws(lanes, segment).tolist()
            assert draws[lane] == (lane * segment + (draw * segment >> DRAW_WIDTH)) % ONE
            beats = await sink.receive_all(2)
            compare(draws, beats[0]["draws"], "draws", number)


@cocotb.test()
async def large_batches_go_on(dut):
    """Each bit of the count: the first draws, and a reset."""
    source, sink = StreamSource(dut, "batches", stall=0), StreamSink(dut, "draws", stall=0)
    dut.seed.value = 0
    await clock_and_reset(dut)
    lanes = parameters()["lanes"]
    for count in (*(1 << bit for bit in range(7, 16)), LARGEST_COUNT):
        source.put({"count": count, "segment": ONE // count})
        draws = DrawReference().draws(4 * lanes, ONE // count).tolist()
        for number, beat in enumerate(await sink.receive_all(4)):
            made = draws[number * lanes : (number + 1) * lanes]
            compare({"has_draw": (1 << lanes) - 1, "last": 0, "draws": made}, beat, "draws", number)
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        dut.rst.value = 0
        await RisingEdge(dut.clk)
        await sink.receive_all(len(sink))


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
