"""Places of groups in, entries of tables out."""

from dataclasses import fields

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.sparse.lists import group_tables
from tests.hw.cores.sparse.memories import WritePort, write


class Table:
    """The table memory."""

    def __init__(self, dut, layout):
        self.dut, self.codec, self.entries, self.overflows, self.cycles = dut, codec_of(layout), {}, 0, 0
        cocotb.start_soon(self.run())

    async def run(self):
        dut, port = self.dut, WritePort(self.dut, "table")
        while True:
            await ReadOnly()
            if (found := port.take()) is not None:
                self.entries[found[0]] = self.codec.unpack(found[1])
            self.overflows += int(dut.overflow.value)
            self.cycles += not int(dut.commands__ready.value)
            await RisingEdge(dut.clk)


async def start(dut, stall):
    dut.rows__enable.value = dut.columns__enable.value = 0
    source, sink = StreamSource(dut, "commands"), StreamSink(dut, "completions", stall=stall)
    await clock_and_reset(dut)
    return Table(dut, parameters()["entry_layout"]), source, sink


async def place(dut, name, starts, counts):
    codec = codec_of(parameters()["place_layout"])
    places = zip(starts, counts, strict=True)
    await write(dut, name, [codec.pack({"start": begin, "count": count}) for begin, count in places])


def groups_of(config, random, number):
    """Places of each group's rows and columns, anywhere in their list: all in one group, all equal, or random."""
    groups = (1, config.groups)[number] if number < 2 else int(random.integers(1, config.groups + 1))
    for most, places in ((config.rows, config.row_list), (config.core_columns, config.column_list)):
        if number % 3 == 0:
            counts = np.zeros(groups, np.int64)
            counts[random.integers(groups)] = most
        elif number % 3 == 1:
            counts = np.full(groups, most // groups)
        else:
            counts = random.multinomial(most, random.dirichlet(np.ones(groups)))
        yield random.integers(places - most + 1) + np.cumsum(counts) - counts, counts


@cocotb.test()
async def tables_follow_the_reference(dut):
    config, random = parameters()["config"], rng("groups")
    table, source, sink = await start(dut, stall=0)
    for number in range(parameters()["layers"]):
        rows, columns = groups_of(config, random, number)
        await place(dut, "rows", *rows)
        await place(dut, "columns", *columns)
        groups = len(rows[1])
        forward, transposed, end = group_tables(rows, columns, banks=config.banks)
        weight_base = int(random.integers(0, config.weight_words - end + 1)) if end < config.weight_words else 0
        group_base = int(random.integers(0, config.tuples - groups + 1))
        forward, transposed, end = group_tables(rows, columns, banks=config.banks, weight_base=weight_base)
        table.entries.clear()
        table.cycles = 0
        await source.send({"groups": groups, "group_base": group_base, "weight_base": weight_base})
        await sink.receive()
        for shift, expected in ((0, forward), (groups, transposed)):
            for rank in range(groups):
                entry = {field.name: int(getattr(expected, field.name)[rank]) for field in fields(expected)}
                got = table.entries[2 * group_base + shift + rank]
                compare(entry, got, f"entry {rank}, transposed {shift != 0}", number)
        assert len(table.entries) == 2 * groups and table.overflows == 0
        compare(end, int(dut.weight_end.value), "end", number)
        compare(2 * groups + 7, table.cycles, "cycles", number)


@cocotb.test()
async def what_does_not_fit_is_left_out(dut):
    config = parameters()["config"]
    table, source, sink = await start(dut, stall=0.8)
    counts = [config.rows // 2, config.rows // 2 - 1]
    await place(dut, "rows", [0, 0], counts)
    await place(dut, "columns", [3, 4], [1, 2])
    await source.send({"groups": 2, "group_base": 0, "weight_base": config.weight_words - counts[1]})
    await sink.receive()
    assert table.overflows == 1
    # Group 0 does not fit, group 1 does.
    assert [table.entries[place]["outer_count"] for place in (0, 1)] == [0, 2]
    assert [table.entries[place]["inner_count"] for place in (2, 3)] == [2, 0]
    assert int(dut.weight_end.value) == config.weight_words
