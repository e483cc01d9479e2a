"""Index lists in a memory here, tuples and lists against the reference."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.sparse.encoding import encode, encoding_cycles, index_words
from tests.hw.cores.sparse.memories import ReadPort, Words, WritePort
from tests.hw.cores.sparse.stimulus import layers

KINDS = ("loading", "missing", "hitting")


class Bench:
    """The index list memory, and everything that the encoder puts out."""

    def __init__(self, dut):
        run = parameters()
        self.dut, self.config = dut, run["config"]
        self.codec = codec_of(run["tuple_layout"])
        self.words = rng("words").integers(0, self.config.groups, (self.config.index_words, self.config.lanes))
        self.rows = WritePort(dut, "row_list")
        self.columns = [WritePort(dut, f"column_lists__{core}") for core in range(self.config.cores)]
        ReadPort(dut, "indexes", Words(self.words, (self.config.groups - 1).bit_length()))
        self.forget()
        cocotb.start_soon(self.run())

    def forget(self):
        self.listed_rows, self.listed_columns, self.tuples = [], [[] for _ in self.columns], []
        self.cycles = dict.fromkeys(KINDS, 0)
        self.errors = 0

    async def run(self):
        dut = self.dut
        ports = [(self.rows, lambda: self.listed_rows)]
        ports += [(port, lambda core=core: self.listed_columns[core]) for core, port in enumerate(self.columns)]
        while True:
            await ReadOnly()
            for port, listed in ports:
                if (found := port.take()) is not None:
                    listed().append(found)
            if int(dut.tuples__valid.value):
                self.tuples.append(self.codec.unpack(int(dut.tuples__payload.value)))
            for kind in KINDS:
                self.cycles[kind] += int(getattr(dut, kind).value)
            self.errors += int(dut.missing_tuple.value)
            await RisingEdge(dut.clk)


async def start(dut):
    source, sink = StreamSource(dut, "commands"), StreamSink(dut, "completions")
    await clock_and_reset(dut)
    return Bench(dut), source, sink


@cocotb.test()
async def tuples_follow_the_reference(dut):
    bench, source, sink = await start(dut)
    config, random = bench.config, rng("layers")
    for number, (rows, columns, groups) in enumerate(layers(config, random, parameters()["layers"])):
        words = index_words(config.lanes, rows, columns)
        base = int(random.integers(0, config.index_words - len(words) + 1))
        bench.words[base : base + len(words)] = words
        counts = [len(own) for own in columns]
        for transposed in (0, 1):
            row_base = int(random.integers(0, config.row_list - len(rows) + 1))
            column_base = int(random.integers(0, config.column_list - max(counts) + 1))
            bench.forget()
            await source.send(
                {
                    "transposed": transposed,
                    "groups": groups,
                    "rows": len(rows),
                    "columns": counts,
                    "index_base": base,
                    "row_base": row_base,
                    "column_base": column_base,
                }
            )
            await sink.receive()
            check(bench, number, rows, columns, groups, transposed, (row_base, column_base))


def check(bench, number, rows, columns, groups, transposed, bases):
    config = bench.config
    row_base, column_base = bases
    inner, outer = (np.concatenate(columns), [rows]) if transposed else (rows, columns)
    tuples = encode(inner, outer, groups)
    base = row_base if transposed else column_base
    written, nothing = ([bench.listed_rows], bench.listed_columns) if transposed else (bench.listed_columns, [])
    assert not any(nothing) and (transposed or not bench.listed_rows)
    for core, (expected, own) in enumerate(zip(tuples.lists, written, strict=True)):
        entries = [(base + place, int(feature)) for place, feature in enumerate(expected)]
        compare(entries, own, f"list of core {core}, transposed {transposed}", number)
    got = bench.tuples
    compare(tuples.order, [entry["group"] for entry in got], "order", number)
    for entry in got:
        group = entry["group"]
        expected = {
            "starts": [int(starts[group]) + base for starts in tuples.starts],
            "counts": [int(counts[group]) for counts in tuples.counts],
        }
        compare(expected, {name: entry[name][: len(outer)] for name in expected}, f"tuple of group {group}", number)
        vector = 0
        for core, mask in enumerate(tuples.vectors):
            bits = sum(1 << int(place) for place in np.flatnonzero(mask[group]))
            vector |= bits << core * config.core_columns
        compare(vector, entry["vector"], f"bit vector of group {group}", number)
    loading, missing, hitting = encoding_cycles(inner, outer, groups, config.lanes, config.caching)
    cycles = {"loading": loading + 6, "missing": missing, "hitting": hitting}
    compare(cycles, bench.cycles, "cycles", number)
    assert bench.errors == 0


@cocotb.test()
async def an_index_without_a_group_is_flagged(dut):
    bench, source, sink = await start(dut)
    config = bench.config
    bench.words[:] = 0
    bench.words[0, 0] = config.groups - 1
    for transposed in (0, 1):
        bench.forget()
        command = {"transposed": transposed, "groups": config.groups - 1, "rows": 1, "columns": [1] * config.cores}
        await source.send(command | {"index_base": 0, "row_base": 0, "column_base": 0})
        await sink.receive()
        assert bench.errors == 1, f"{bench.errors} cycles of the flag, transposed {transposed}"
    await RisingEdge(dut.clk)
