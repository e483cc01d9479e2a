"""Requests in a random order, against the reference, and the cycles that they take."""

import random

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.hw.cores.replay.config import DRAW_WIDTH
from rewardware.hw.cores.replay.records import ROW_WIDTH
from rewardware.hw.cores.replay.requests import RequestKind
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.device.replay_rows import pack_beats, unpack_answers
from rewardware.sw.reference.replay.requests import Request
from rewardware.sw.reference.replay.sum_tree import SumTreeReference
from tests.hw.cores.replay.rows import answer_rows, noisy_rows
from tests.hw.cores.transfer_cycles import TransferCycles
from tests.sw.reference.replay.stimulus import random_requests


def beats_of(config, requests, noise=None):
    """The requests that go, and the beats that have them; places that are left ask for the total."""
    beats = pack_beats(np.array(noisy_rows(requests, noise), np.uint64), config.lanes)
    words = [sum(row << ROW_WIDTH * lane for lane, row in enumerate(beat)) for beat in beats.tolist()]
    return [*requests, *[Request(kind=RequestKind.TOTAL)] * (-len(requests) % config.lanes)], words


async def ask(source, sink, reference, requests, noise=None):
    """Send requests; their answers are the reference's."""
    lanes = reference.config.lanes
    requests, beats = beats_of(reference.config, requests, noise)
    for beat in beats:
        source.put(beat)
    beat = 0
    for number, expected in enumerate(reference.apply(requests)):
        beat = beat >> ROW_WIDTH if number % lanes else await sink.receive()
        row = beat & (1 << ROW_WIDTH) - 1
        compare(vars(expected), vars(unpack_answers(np.array([row], np.uint64)).each()[0]), "answers", number)
        compare(*answer_rows([expected]), row, "rows of answers", number)


@cocotb.test()
async def answers_as_the_reference(dut):
    config = parameters()["config"]
    source, sink = StreamSource(dut, "requests"), StreamSink(dut, "answers")
    dut.clear.value = 0
    await clock_and_reset(dut)
    made, reference = random.Random(int(rng().integers(1 << 32))), SumTreeReference(config)
    for stall_in, stall_out in ((0.3, 0.3), (0.0, 0.0), (0.0, 0.7), (0.7, 0.0)):
        source.stall, sink.stall = stall_in, stall_out
        for near in (0.0, 0.6, 0.95):
            await ask(source, sink, reference, random_requests(config, made, 200, near=near), made)
        # From the beginning, where samples find nothing.
        while not int(dut.idle.value):
            await RisingEdge(dut.clk)
        dut.clear.value = 1
        await RisingEdge(dut.clk)
        dut.clear.value = 0
        reference.clear()
        await ask(source, sink, reference, [Request(kind=RequestKind.TOTAL), Request(kind=RequestKind.SAMPLE)])


@cocotb.test()
async def a_clear_is_behind_the_requests_taken(dut):
    """While requests are under way and answers wait; those taken until then are answered as if there were no clear."""
    config, latency = parameters()["config"], parameters()["latency"]
    source, sink = StreamSource(dut, "requests"), StreamSink(dut, "answers")
    dut.clear.value = 0
    await clock_and_reset(dut)
    made, reference = random.Random(int(rng("clears").integers(1 << 32))), SumTreeReference(config)
    for number in range(20):
        source.stall, sink.stall = made.choice([0, 0.3]), made.choice([0, 0.3, 0.9])
        requests, beats = beats_of(config, random_requests(config, made, 3 * latency * config.lanes), made)
        for beat in beats:
            source.put(beat)
        taken = 0
        for cycle in range(last := made.randrange(1, 3 * latency)):
            await FallingEdge(dut.clk)
            taken += int(dut.requests__valid.value) & int(dut.requests__ready.value)
            # A request that is taken in the very cycle of the clear also comes before it.
            dut.clear.value = int(cycle == last - 1)
        await FallingEdge(dut.clk)
        dut.clear.value = 0
        before = config.lanes * taken
        expected = reference.apply(requests[:before])
        reference.clear()
        expected = answer_rows(expected + reference.apply(requests[before:]))
        got = await sink.receive_all(len(beats))
        got = [beat >> ROW_WIDTH * lane & (1 << ROW_WIDTH) - 1 for beat in got for lane in range(config.lanes)]
        compare(expected, got, f"answers, cleared after {before}", number)


@cocotb.test()
async def a_clear_takes_as_many_cycles_as_it_says(dut):
    """No request is taken then, and the tree is not idle."""
    config = parameters()["config"]
    dut.clear.value = dut.requests__valid.value = 0
    await clock_and_reset(dut)
    while not int(dut.idle.value):
        await RisingEdge(dut.clk)
    dut.clear.value = 1
    await RisingEdge(dut.clk)
    dut.clear.value = 0
    for cycle in range(config.leaves + 1):
        await FallingEdge(dut.clk)
        compare((0, 0), (int(dut.idle.value), int(dut.requests__ready.value)), "idle and ready", cycle)
    await FallingEdge(dut.clk)
    compare((1, 1), (int(dut.idle.value), int(dut.requests__ready.value)), "idle and ready, clear", 0)


@cocotb.test()
async def draws_at_every_boundary(dut):
    """The last draw of each leaf, those of zero included, and the first draw of the next one."""
    config = parameters()["config"]
    source, sink = StreamSource(dut, "requests"), StreamSink(dut, "answers")
    dut.clear.value = 0
    await clock_and_reset(dut)
    reference, random_numbers = SumTreeReference(config), rng("priorities")
    largest = (1 << config.priority_width) - 1
    priorities = [int(random_numbers.choice([0, 1, largest])) for _ in range(config.leaves)]
    priorities[0], priorities[-1] = 0, 0
    priorities[config.leaves // 2] = 1
    await ask(source, sink, reference, [Request(kind=RequestKind.INSERT, priority=one) for one in priorities])
    total, prefix, draws = sum(priorities), 0, {0, (1 << DRAW_WIDTH) - 1}
    for priority in priorities:
        prefix += priority
        # The first draw whose target is above the prefix.
        first = -(-(prefix << DRAW_WIDTH) // total)
        draws |= {draw for draw in (first - 1, first) if 0 <= draw < 1 << DRAW_WIDTH}
    samples = [Request(kind=RequestKind.SAMPLE, draw=draw) for draw in sorted(draws)]
    assert all(answer.priority for answer in reference.apply(samples))
    await ask(source, sink, reference, samples)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    config, latency = parameters()["config"], parameters()["latency"]
    source, sink = StreamSource(dut, "requests", stall=0), StreamSink(dut, "answers", stall=0)
    dut.clear.value = 0
    await clock_and_reset(dut)
    # Updates go one after the other, samples and requests for the total side by side.
    samples = [Request(kind=RequestKind.SAMPLE, draw=draw << 41) for draw in range(120)]
    totals = [Request(kind=RequestKind.TOTAL)] * 3
    for requests, at_once in (
        ([Request(kind=RequestKind.UPDATE, index=index % config.leaves, priority=1) for index in range(120)], 1),
        (samples, config.lanes),
        # Both in all lanes.
        (sum((totals + samples[first : first + 4] for first in range(0, 120, 7)), [])[:120], config.lanes),
    ):
        seen = TransferCycles(dut, "requests", "answers")
        _, beats = beats_of(config, requests)
        for beat in beats:
            source.put(beat)
        await sink.receive_all(len(beats))
        cycles = seen.taken["answers"][-1] - seen.taken["requests"][0]
        compare(120 // at_once - 1 + latency, cycles, "cycles of 120 requests, together", at_once)
