"""A packet at a time, by a part that answers with the request's bits inverted."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge, Timer, ValueChange
from cocotb.utils import get_sim_time

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.bench import CLOCK_PERIOD_NANOSECONDS

# Stalls of the packets and of the part behind.
PHASES = ((0.0, 0.0), (0.3, 0.3), (0.0, 0.7), (0.7, 0.0))
# Longer than any of these packets takes.
LIMIT_CYCLES = 2000
# The most requests under way that the service counts.
MOST = (1 << 16) - 1


@cocotb.test()
async def answers_packets_one_by_one(dut):
    width, random = parameters()["width"], rng("packets")
    packets, answered = StreamSource(dut, "packets_in"), StreamSink(dut, "packets_out")
    requests, answers = StreamSink(dut, "requests"), StreamSource(dut, "answers")
    dut.serving.value = 0
    await clock_and_reset(dut)
    ones, number = (1 << width) - 1, 0
    for stall, behind in PHASES:
        packets.stall = answered.stall = stall
        requests.stall = answers.stall = behind
        lengths = [1, 1, 2, *(int(random.integers(1, 40)) for _ in range(12))]
        served = [[int(random.integers(1 << width)) for _ in range(length)] for length in lengths]
        # All at once: those behind the packet that is served wait.
        for packet in served:
            for index, word in enumerate(packet):
                packets.put({"data": word, "last": int(index + 1 == len(packet))})
        for packet in served:
            for _ in range(int(random.integers(1, 4))):
                await FallingEdge(dut.clk)
                assert not (int(dut.packets_in__ready.value) or int(dut.packets_out__valid.value)), "not serving"
                await RisingEdge(dut.clk)
            dut.serving.value = 1
            sent, is_served, cycles = [], False, 0
            while not is_served:
                assert (cycles := cycles + 1) < LIMIT_CYCLES, "not served"
                await FallingEdge(dut.clk)
                is_served = bool(int(dut.served.value))
                assert not is_served or len(answered) == len(packet), "served before the last answer"
                await RisingEdge(dut.clk)
                while len(requests):
                    sent.append(await requests.receive())
                    answers.put(sent[-1] ^ ones)
            dut.serving.value = 0
            compare(packet, sent, "requests", number)
            beats = [{"data": word ^ ones, "last": int(index + 1 == len(packet))} for index, word in enumerate(packet)]
            compare(beats, await answered.receive_all(len(beats)), "packets_out", number)
            number += 1


@cocotb.test()
async def counts_many_requests(dut):
    """All answers behind the last request: the packet ends with the last of them, and is served then."""
    width = parameters()["width"]
    for port in ("serving", "requests__ready", "packets_out__ready"):
        getattr(dut, port).value = 1
    for port in ("packets_in__valid", "answers__valid", "packets_in__payload", "answers__payload"):
        getattr(dut, port).value = 0
    await clock_and_reset(dut)
    dut.packets_in__valid.value = 1
    await _cycles(dut, MOST - 1)
    dut.packets_in__payload.value = 1 << width
    await RisingEdge(dut.clk)
    dut.packets_in__valid.value = 0
    await RisingEdge(dut.clk)
    changes = []
    watches = [cocotb.start_soon(_watch(dut, port, changes)) for port in ("packets_out__payload", "served")]
    dut.answers__valid.value = 1
    since = get_sim_time("ns")
    await _cycles(dut, MOST)
    dut.answers__valid.value = 0
    await FallingEdge(dut.clk)
    for watch in watches:
        watch.cancel()
    seen = [(port, round((time - since) / CLOCK_PERIOD_NANOSECONDS), value) for port, time, value in changes]
    ends = ("packets_out__payload", MOST - 1, 1 << width), ("packets_out__payload", MOST, 0), ("served", MOST, 1)
    compare(sorted(ends), sorted(seen), "changes, and their cycles", 0)


async def _cycles(dut, count):
    """Many cycles in which nothing happens: without a step of Python for each."""
    await Timer(count * CLOCK_PERIOD_NANOSECONDS - CLOCK_PERIOD_NANOSECONDS // 2, "ns")
    await RisingEdge(dut.clk)


async def _watch(dut, port, changes):
    handle = getattr(dut, port)
    while True:
        await ValueChange(handle)
        changes.append((port, get_sim_time("ns"), int(handle.value)))
