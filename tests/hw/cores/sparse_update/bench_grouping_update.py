"""Gradients of grouped layers in, lists and grouping matrices in memories here; these against the reference."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSource, clock_and_reset, parameters, rng
from rewardware.sw.reference.float.arithmetic import is_nonfinite
from rewardware.sw.reference.sparse_update.grouping_update import update_grouping
from tests.hw.cores.sparse.memories import ReadPort
from tests.hw.cores.sparse_update.bench_grouping_gradient import expected_words
from tests.hw.cores.sparse_update.grouped_cores import grouped_cores
from tests.hw.cores.sparse_update.optimizer_memory import OptimizerMemory, random_gradients


class Bench:
    """Memories of lists and matrices, the same for the reference, and what was written when."""

    def __init__(self, dut, config):
        self.dut, self.config = dut, config
        sparse, random = config.sparse, rng("numbers")
        self.number_format = config.rms_prop.format
        shape = sparse.grouping_words, sparse.lanes
        self.memory = OptimizerMemory(dut, self.number_format, shape, random)
        dut.layer.value = 0
        self.expected_flags = self.flags = self.outside = 0
        self.taken, self.written = [], []
        names = [*(f"column_lists__{core}" for core in range(sparse.cores)), "row_list"]
        self.lists = [ReadPort(dut, name, np.zeros(1, np.int64), stays=False) for name in names]
        cocotb.start_soon(self.run())

    def expect(self, members, group, gradients, base, groups):
        """Expect an update of a group's members; says whether it is finite."""
        memory = self.memory
        memory.expected = update_grouping(
            self.number_format, self.config.gradient.format, *memory.expected, members, group, gradients,
            base=base, groups=groups, **memory.rates,
        )  # fmt: skip
        lanes = self.config.sparse.lanes
        place = base + members // lanes * groups + group, members % lanes
        wrong = [is_nonfinite(self.number_format, part[place]) for part in memory.expected]
        self.expected_flags += int((wrong[0] | wrong[1]).sum())

    async def run(self):
        dut, sparse, cycle = self.dut, self.config.sparse, 0
        streams = [*(f"columns__{core}" for core in range(sparse.cores)), "rows"]
        while True:
            await ReadOnly()
            for name in streams:
                if int(getattr(dut, f"{name}__valid").value) and int(getattr(dut, f"{name}__ready").value):
                    self.taken.append(cycle)
            if written := self.memory.take(dut):
                assert written[1].bit_count() == 1
                self.written.append(cycle)
            errors = int(dut.errors.value)
            self.outside += errors & 1
            self.flags += errors >> 1
            await RisingEdge(dut.clk)
            cycle += 1

    def hold(self, lists):
        """Column lists, and the row list after them."""
        for port, members in zip(self.lists, lists, strict=True):
            port.contents = members

    async def settle(self, pending):
        for accepted in pending:
            await accepted.wait()
        await RisingEdge(self.dut.clk)
        while int(self.dut.busy.value):
            await RisingEdge(self.dut.clk)

    def set_layer(self, base, core_words, groups):
        self.dut.layer.value = groups << 40 | core_words << 20 | base

    def check(self, number):
        self.memory.check(number)
        assert self.flags == self.expected_flags


def gradients(config, random, table, of_columns):
    """A gradient for each row or own column of each group."""
    for count in table.outer_count if of_columns else table.inner_count:
        yield random_gradients(config.gradient.format, random, count)


@cocotb.test()
async def memories_follow_the_reference(dut):
    config, random = parameters()["config"], rng("layers")
    sparse = config.sparse
    rows = StreamSource(dut, "rows", parameters()["word_layout"])
    columns = [StreamSource(dut, f"columns__{core}", parameters()["word_layout"]) for core in range(sparse.cores)]
    await clock_and_reset(dut)
    bench = Bench(dut, config)

    def send(source, layer, table, members, of_columns, base):
        sums = list(gradients(config, random, table, of_columns))
        starts, counts = (
            (table.outer_start, table.outer_count) if of_columns else (table.inner_start, table.inner_count)
        )
        for place, group in enumerate(table.group):
            mine = members[starts[place] :][: counts[place]]
            bench.expect(mine, int(group), sums[place], base, layer.groups)
        for word in expected_words(config.gradient, table, sums, of_columns):
            word["sums"] = word["sums"] + [1] * (sparse.banks - len(word["sums"]))
            pending.append(source.put(word))

    for number, layer in enumerate(grouped_cores(config.gradient, random, parameters()["layers"])):
        for source in (rows, *columns):
            source.stall = (0.0, 0.6)[number % 2]
        row_words = -(-len(layer.rows) // sparse.lanes) * layer.groups
        core_words = -(-max(map(len, layer.columns)) // sparse.lanes) * layer.groups
        needed = row_words + sparse.cores * core_words
        base = int(random.integers(0, sparse.grouping_words - needed + 1))
        lists = [np.concatenate([np.zeros(layer.column_base, np.int64), own]) for own in layer.column_lists]
        lists.append(np.concatenate([np.zeros(layer.row_base, np.int64), layer.row_list]))
        bench.hold(lists)
        pending = []
        bench.set_layer(base, 0, layer.groups)
        send(rows, layer, layer.forward[0], lists[-1], False, base)
        await bench.settle(pending)
        bench.check(f"rows of layer {number}")
        base += row_words
        bench.set_layer(base, core_words, layer.groups)
        for core, (source, table) in enumerate(zip(columns, layer.forward, strict=True)):
            send(source, layer, table, lists[core], True, base + core * core_words)
        await bench.settle(pending)
        bench.check(f"columns of layer {number}")
    assert bench.flags
    assert not bench.outside

    # Words past the end of the memory change nothing.
    bench.set_layer(sparse.grouping_words, 0, 1)
    bench.hold([np.arange(sparse.banks)] * (sparse.cores + 1))
    word = {"group": 0, "place": 0, "mask": 3, "sums": [1] * sparse.banks}
    await bench.settle([rows.put(word), *(source.put(word) for source in columns)])
    bench.check("errors")
    assert bench.outside == 2 * (sparse.cores + 1)


@cocotb.test()
async def an_entry_is_written_after_its_latency(dut):
    """Words of all sources at once: the first core's before the others', one lane a cycle."""
    config = parameters()["config"]
    sparse = config.sparse
    layout = parameters()["word_layout"]
    names = [*(f"columns__{core}" for core in range(sparse.cores)), "rows"]
    sources = [StreamSource(dut, name, layout, stall=0) for name in names]
    await clock_and_reset(dut)
    bench = Bench(dut, config)
    bench.set_layer(0, 0, 1)
    bench.hold([np.arange(sparse.banks)] * (sparse.cores + 1))
    word = {"group": 0, "place": 0, "mask": (1 << sparse.banks) - 1, "sums": [1] * sparse.banks}
    await bench.settle([source.put(word) for source in sources])
    first = bench.taken[0]
    assert bench.taken == [first + sparse.banks * number for number in range(len(sources))]
    start = first + parameters()["latency"]
    assert bench.written == list(range(start, start + sparse.banks * len(sources)))
