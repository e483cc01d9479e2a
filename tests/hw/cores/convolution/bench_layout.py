"""Rows that a layout transformation unit writes.

Parameters: ``content``, words of the memory of ``banks``; ``lanes``, ``width`` of the buffer; ``commands``; ``rows``,
what each writes, by number; ``cycles`` of each.
"""

from itertools import count

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSource, clock_and_reset, parameters


async def watch(dut, run, written):
    """Each command's rows, which end with its completion, and its cycles to there; no row is written twice."""
    lanes, width = run["lanes"], run["width"]
    current, begun = {}, 0
    for cycle in count():
        await ReadOnly()
        if int(dut.commands__valid.value) and int(dut.commands__ready.value):
            begun = cycle
        enable = int(dut.buffer__enable.value)
        if enable:
            assert enable == (1 << lanes) - 1
            row, bits = int(dut.buffer__row.value), int(dut.buffer__data.value)
            assert int(dut.buffer__index.value) == row % lanes
            words = [bits >> width * lane & (1 << width) - 1 for lane in range(lanes)]
            assert row not in current, f"row {row} twice"
            current[row] = [word - (word >> width - 1 << width) for word in words]
        if int(dut.completions__valid.value):
            written.append((current, cycle - begun))
            current = {}
        await RisingEdge(dut.clk)


@cocotb.test()
async def rows(dut):
    run = parameters()
    commands = StreamSource(dut, "commands")
    await clock_and_reset(dut)
    for row, words in enumerate(run["content"].reshape(-1, run["banks"]).tolist()):
        dut.write__enable.value = (1 << run["banks"]) - 1
        dut.write__row.value, dut.write__lane.value = row, 0
        dut.write__data.value = sum(word << 8 * lane for lane, word in enumerate(words))
        await RisingEdge(dut.clk)
    dut.write__enable.value = 0
    await RisingEdge(dut.clk)
    written = []
    cocotb.start_soon(watch(dut, run, written))
    commands.stall = 0.5
    for command in run["commands"]:
        commands.put(command)
    limit = 100 + sum(20 * len(result) + 200 for result in run["rows"])
    for _ in range(limit):
        if len(written) == len(run["commands"]):
            break
        await RisingEdge(dut.clk)
    assert len(written) == len(run["commands"]), (
        f"{len(written)} of {len(run['commands'])} commands within {limit} cycles"
    )
    for number, (expected, cycles, (got, taken)) in enumerate(zip(run["rows"], run["cycles"], written, strict=True)):
        assert taken == cycles, f"command {number}: {taken} cycles, not {cycles}"
        assert expected.keys() == got.keys(), f"command {number}: rows {sorted(got)}, not {sorted(expected)}"
        for row, words in expected.items():
            assert words == got[row], f"command {number}, row {row}: {got[row]}, not {words}"
    await RisingEdge(dut.clk)
    assert not int(dut.busy.value)
