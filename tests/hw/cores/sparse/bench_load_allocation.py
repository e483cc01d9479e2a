"""Index lists in a memory here; workloads against the reference."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.sparse.encoding import index_words
from rewardware.sw.reference.sparse.load_allocation import deviation, row_based, threshold_based
from tests.hw.cores.sparse.memories import ReadPort, Words, write
from tests.hw.cores.sparse.stimulus import layers

RESULTS = ("total", "row_based", "threshold_based", "row_deviation", "threshold_deviation")


class Bench:
    def __init__(self, dut, config):
        self.dut, self.config = dut, config
        self.words = np.zeros((config.index_words, config.lanes), np.int64)
        self.errors, self.cycles = 0, 0
        ReadPort(dut, "indexes", Words(self.words, (config.groups - 1).bit_length()))
        cocotb.start_soon(self.run())

    async def run(self):
        dut = self.dut
        while True:
            await ReadOnly()
            self.errors += int(dut.missing_tuple.value)
            self.cycles += not int(dut.commands__ready.value)
            await RisingEdge(dut.clk)


@cocotb.test()
async def workloads_follow_the_reference(dut):
    config, random = parameters()["config"], rng("layers")
    dut.workloads__enable.value = 0
    source, sink = StreamSource(dut, "commands"), StreamSink(dut, "completions", stall=0)
    await clock_and_reset(dut)
    bench = Bench(dut, config)
    await ReadOnly()
    for name in RESULTS:
        ports = [f"{name}__{core}" for core in range(config.cores)] if name.endswith("based") else [name]
        compare([0] * len(ports), [int(getattr(dut, port).value) for port in ports], name, "reset")
    await RisingEdge(dut.clk)
    for number, (rows, columns, groups) in enumerate(layers(config, random, parameters()["layers"])):
        if number % 3 == 0:
            # Rows of a group are neighbours, and one group has all columns: the workloads are far from equal.
            rows, columns = np.sort(rows), [np.full(config.core_columns, random.choice(rows))] * config.cores
        words = index_words(config.lanes, rows, [])
        base = int(random.integers(0, config.index_words - len(words) + 1))
        bench.words[base : base + len(words)] = words
        workloads = sum(np.bincount(own, minlength=groups) for own in columns)
        await write(dut, "workloads", workloads)
        bench.cycles = 0
        await source.send({"groups": groups, "rows": len(rows), "index_base": base})
        await sink.receive()
        # The results stand until the next command.
        for _ in range(int(random.integers(4))):
            await RisingEdge(dut.clk)
        compare(2 * (len(rows) + 3) + config.cores + 1, bench.cycles, "cycles", number)
        expected = {
            "row_based": row_based(workloads[rows], config.cores),
            "threshold_based": threshold_based(workloads[rows], config.cores),
        }
        for name, parts in expected.items():
            got = [int(getattr(dut, f"{name}__{core}").value) for core in range(config.cores)]
            compare(parts, got, name, number)
            compare(deviation(parts), int(getattr(dut, f"{name[:-6]}_deviation").value), f"deviation, {name}", number)
        compare(workloads[rows].sum(), int(dut.total.value), "total", number)
    assert bench.errors == 0


@cocotb.test()
async def a_row_without_a_group_is_flagged(dut):
    config = parameters()["config"]
    dut.workloads__enable.value = 0
    source, sink = StreamSource(dut, "commands"), StreamSink(dut, "completions")
    await clock_and_reset(dut)
    bench = Bench(dut, config)
    bench.words[1, 0] = config.groups - 1
    await source.send({"groups": config.groups - 1, "rows": 1, "index_base": 1})
    await sink.receive()
    assert bench.errors == 2, "flagged in each of the two passes"
    assert int(dut.total.value) == 0
