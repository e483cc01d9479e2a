"""Windows of a memory's content.

Parameters: ``content``, words of the memory; ``lanes``; ``commands``; ``expected``, what comes of each, but its ends.
"""

import random

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare_all, parameters

LATENCY = 5


async def grant_at_random(dut, granted):
    """The memory serves others now and then."""
    rng = random.Random(1)
    while True:
        granted.value = rng.random() < 0.6
        await RisingEdge(dut.clk)


async def _begin(dut):
    run = parameters()
    commands, made = StreamSource(dut, "commands"), StreamSink(dut, "o")
    await clock_and_reset(dut)
    lanes = run["lanes"]
    for row, words in enumerate(run["content"].reshape(-1, lanes).tolist()):
        dut.write__enable.value = (1 << lanes) - 1
        dut.write__row.value, dut.write__lane.value = row, 0
        dut.write__data.value = sum(word << 8 * lane for lane, word in enumerate(words))
        await RisingEdge(dut.clk)
    dut.write__enable.value = 0
    dut.granted.value = 1
    await RisingEdge(dut.clk)
    return run, commands, made


@cocotb.test()
async def windows(dut):
    run, commands, made = await _begin(dut)
    everything = [access for result in run["expected"] for access in result]
    cocotb.start_soon(grant_at_random(dut, dut.granted))
    for stalls in ((0.5, 0.0), (0.0, 0.5), (0.4, 0.4)):
        commands.stall, made.stall = stalls
        for command in run["commands"]:
            commands.put(command)
        got = await made.receive_all(len(everything))
        for access in got:
            access.pop("ends")
        compare_all(everything, got, "accesses")


@cocotb.test()
async def latency_and_rate(dut):
    run, commands, made = await _begin(dut)
    commands.stall = made.stall = 0
    for command in run["commands"]:
        commands.put(command)
    cycles = 0
    while not int(dut.commands__valid.value):
        await RisingEdge(dut.clk)
    while not int(dut.o__valid.value):
        await RisingEdge(dut.clk)
        cycles += 1
    assert cycles == LATENCY, f"a latency of {cycles} cycles"
    total = sum(map(len, run["expected"]))
    for _ in range(total - 1):
        await RisingEdge(dut.clk)
        assert int(dut.o__valid.value), "a gap"
    got = await made.receive_all(total)
    last = [access["ends"] & 1 for access in got]
    assert sum(last) == len(run["commands"])
