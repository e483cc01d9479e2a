"""Lists, tables and banks in, grouping matrices out, against the reference; biases to cores that take their time."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.float.config import BINARY16
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.float.arithmetic import is_nonfinite
from rewardware.sw.reference.sparse_update.grouping_gradient import aggregate, column_sums, row_sums
from rewardware.sw.reference.sparse_update.grouping_update import update_grouping
from tests.hw.cores.sparse.grouped import FIELDS
from tests.hw.cores.sparse.memories import ReadPort
from tests.hw.cores.sparse_update.grouped_cores import grouped_cores
from tests.hw.cores.sparse_update.optimizer_memory import pack_rates, random_state, rate_bits
from tests.hw.cores.sparse_update.parameter_host import ParameterHost

LIMIT_CYCLES = 5000
WIDTHS = {"parameter_base": 20, "weight_base": 20, "columns": 16, "scalar_base": 20}
NOTHING = dict.fromkeys(WIDTHS, 0)
ERRORS = ("address_out_of_range", "memory_conflict", "nonfinite")


class Bench:
    """Banks of every core, the grouping matrices of the reference, and the flags that were seen."""

    def __init__(self, dut):
        run = parameters()
        self.dut, self.config = dut, run["config"]
        self.sparse, self.number_format = self.config.sparse, self.config.rms_prop.format
        self.table, self.layer = codec_of(run["table_layout"]), None
        self.random = rng("numbers")
        shape = self.sparse.grouping_words, self.sparse.lanes
        self.expected = random_state(self.number_format, self.random, shape)
        self.rates = rate_bits(self.number_format)
        dut.rates.value = pack_rates(self.number_format, self.rates)
        self.host = ParameterHost(dut, self.number_format.width)
        dut.grouping__enable.value = dut.biases_done.value = 0
        self.flags = dict.fromkeys(ERRORS, 0)
        names = [f"{name}__{core}" for name in ("column_lists", "tables") for core in range(self.sparse.cores)]
        self.lists = {name: ReadPort(dut, name, {}, stays=False) for name in ("row_list", *names)}

    async def start(self):
        self.commands, self.completions = StreamSource(self.dut, "commands"), StreamSink(self.dut, "completions")
        self.biases = [StreamSink(self.dut, f"biases__{core}") for core in range(self.sparse.cores)]
        await clock_and_reset(self.dut)
        for core in range(self.sparse.cores):
            cocotb.start_soon(self.serve(core))
        cocotb.start_soon(self.watch())
        await self.host.write(self.expected)

    async def serve(self, core):
        """Weights and gradients of a core, one cycle after their addresses and for one cycle only."""
        dut, banks = self.dut, range(self.sparse.banks)
        enable = getattr(dut, f"weights__{core}__0__enable")
        addresses = [getattr(dut, f"weights__{core}__{bank}__address") for bank in banks]
        outputs = [getattr(dut, f"{name}__{core}__{bank}__data") for name in ("weights", "gradients") for bank in banks]
        shown = True
        while True:
            await ReadOnly()
            words = None
            if int(enable.value):
                # Lanes after a group may read anywhere.
                places = [int(port.value) % self.sparse.weight_words for port in addresses]
                found = self.layer.weights[core, banks, places], self.layer.gradients[core, banks, places]
                words = [int(word) for part in found for word in part]
            elif shown:
                words = [0] * len(outputs)
            shown = bool(int(enable.value))
            await RisingEdge(dut.clk)
            for port, word in zip(outputs, words or [], strict=False):
                port.value = word

    async def watch(self):
        while True:
            await RisingEdge(self.dut.clk)
            errors = int(self.dut.errors.value)
            for bit, name in enumerate(ERRORS):
                self.flags[name] += errors >> bit & 1

    def hold(self, layer):
        """Lists, tables and banks of a layer."""
        self.layer = layer
        self.lists["row_list"].contents = dict(enumerate(layer.row_list, layer.row_base))
        for core, (members, table) in enumerate(zip(layer.column_lists, layer.forward, strict=True)):
            self.lists[f"column_lists__{core}"].contents = dict(enumerate(members, layer.column_base))
            entries = (
                self.table.pack({name: int(getattr(table, name)[rank]) for name in FIELDS})
                for rank in range(layer.groups)
            )
            self.lists[f"tables__{core}"].contents = dict(enumerate(entries, layer.table_base))

    async def group(self, base, core_words=0, **gradient):
        """The command for a layer's grouping."""
        layer = {"grouping_base": base, "core_words": core_words, "groups": gradient["groups"]}
        await self.commands.send({"grouping": 1, "cores": 0, "biases": NOTHING, "gradient": gradient, "layer": layer})

    async def update_biases(self, cores, **biases):
        """The command for biases."""
        fields = {"gradient": {"table_base": 0, "groups": 0, "columns": 0}}
        fields["layer"] = {"grouping_base": 0, "core_words": 0, "groups": 0}
        await self.commands.send({"grouping": 0, "cores": cores, "biases": biases} | fields)

    async def update(self, layer, base, core_words, columns):
        """The command for a layer's rows or columns, until it is complete."""
        await self.group(base, core_words, table_base=layer.table_base, groups=layer.groups, columns=columns)
        await self.completions.receive()
        await RisingEdge(self.dut.clk)
        assert not int(self.dut.busy.value)

    def expect(self, sums, starts, members, groups, base, table):
        """The reference's update of the members of each group; whether all of it is finite."""
        finite = True
        for place, group in enumerate(table.group):
            mine = members[starts[place] :][: len(sums[place])]
            self.expected = update_grouping(
                self.number_format, BINARY16, *self.expected, mine, int(group), sums[place],
                base=base, groups=groups, **self.rates,
            )  # fmt: skip
            entries = base + mine // self.sparse.lanes * groups + int(group), mine % self.sparse.lanes
            wrong = is_nonfinite(BINARY16, sums[place]).any()
            for part in self.expected:
                wrong |= is_nonfinite(self.number_format, part[entries]).any()
            finite &= not wrong
        return finite


@cocotb.test()
async def grouping_matrices_follow_the_reference(dut):
    bench = Bench(dut)
    await bench.start()
    sparse, lanes, seen = bench.sparse, bench.sparse.lanes, set()
    config = bench.config.gradient
    for number, layer in enumerate(grouped_cores(config, rng("layers"), parameters()["layers"])):
        bench.hold(layer)
        row_words = -(-len(layer.rows) // lanes) * layer.groups
        core_words = -(-max(map(len, layer.columns)) // lanes) * layer.groups
        last = sparse.grouping_words - row_words - sparse.cores * core_words
        base = int(bench.random.choice([0, last, bench.random.integers(last + 1)]))
        parts = list(zip(layer.forward, layer.weights, layer.gradients, strict=True))
        for columns in (0, 1):
            finite = True
            if columns:
                base += row_words
                for core, part in enumerate(parts):
                    members = np.concatenate([np.zeros(layer.column_base, np.int64), layer.column_lists[core]])
                    sums = column_sums(BINARY16, *part)
                    starts, first = part[0].outer_start, base + core * core_words
                    finite &= bench.expect(sums, starts, members, layer.groups, first, part[0])
            else:
                members = np.concatenate([np.zeros(layer.row_base, np.int64), layer.row_list])
                sums = aggregate(BINARY16, [row_sums(BINARY16, *part) for part in parts])
                finite = bench.expect(sums, parts[0][0].inner_start, members, layer.groups, base, parts[0][0])
            bench.flags["nonfinite"] = 0
            await bench.update(layer, base, core_words if columns else 0, columns)
            await bench.host.check(bench.expected, f"{('rows', 'columns')[columns]} of layer {number}")
            compare(not finite, bool(bench.flags["nonfinite"]), "nonfinite", number)
            seen.add(finite)
    assert seen == {True, False}
    assert not bench.flags["address_out_of_range"] and not bench.flags["memory_conflict"]
    assert not any(len(sink) for sink in bench.biases)


@cocotb.test()
async def biases_are_those_of_the_cores_that_are_meant(dut):
    bench = Bench(dut)
    await bench.start()
    random, cores = bench.random, bench.sparse.cores
    everyone = (1 << cores) - 1
    for number in range(30):
        meant = (0, everyone, 1, 1 << cores - 1, int(random.integers(1 << cores)))[number % 5]
        fields = {
            name: int(random.choice([1, (1 << width) - 1, random.integers(1, 1 << width)]))
            for name, width in WIDTHS.items()
        }
        await bench.update_biases(meant, **fields)
        received = [False] * cores
        waiting = set(range(cores))
        await RisingEdge(dut.clk)
        for _ in range(LIMIT_CYCLES):
            assert int(dut.busy.value) and not len(bench.completions)
            for core in waiting:
                if len(bench.biases[core]):
                    expected = fields | {"columns": fields["columns"] if meant >> core & 1 else 0}
                    compare(expected, await bench.biases[core].receive(), f"biases of core {core}", number)
                    received[core] = True
            ends = [core for core in waiting if received[core] and random.random() < 0.2]
            waiting -= set(ends)
            dut.biases_done.value = sum(1 << core for core in ends)
            await RisingEdge(dut.clk)
            dut.biases_done.value = 0
            if not waiting:
                break
        await bench.completions.receive()
        await RisingEdge(dut.clk)
        assert not int(dut.busy.value)
        assert not any(len(sink) for sink in bench.biases)
    await bench.host.check(bench.expected, "biases")


@cocotb.test()
async def what_is_behind_a_memory_is_refused(dut):
    bench = Bench(dut)
    await bench.start()
    config = bench.config.gradient
    layer = list(grouped_cores(config, rng("layers"), 7))[-1]
    bench.hold(layer)
    for fields in (
        {"table_base": 2 * bench.sparse.tuples, "groups": 1, "base": 0},
        {"table_base": 0, "groups": bench.sparse.groups + 1, "base": 0},
        {"table_base": layer.table_base, "groups": layer.groups, "base": bench.sparse.grouping_words},
        {"table_base": layer.table_base, "groups": layer.groups, "base": 0xFFFF},
    ):
        for columns in (0, 1):
            bench.flags["address_out_of_range"] = 0
            await bench.group(columns=columns, **fields)
            await bench.completions.receive()
            assert bench.flags["address_out_of_range"], (fields, columns)
    await bench.host.check(bench.expected, "what was refused")
    assert not bench.flags["memory_conflict"]


@cocotb.test()
async def the_sparse_data_engine_reads(dut):
    bench = Bench(dut)
    await bench.start()
    numbers, shown = bench.expected[0], None
    for cycle in range(400):
        enable, address = bool(bench.random.random() < 0.7), int(bench.random.integers(len(numbers)))
        dut.grouping__enable.value, dut.grouping__address.value = enable, address
        await ReadOnly()
        if shown is not None:
            got = bench.host.unpack(dut.grouping__data.value, bench.sparse.lanes)
            compare([int(number) for number in numbers[shown]], got, "grouping", cycle)
        shown = address if enable else shown
        await RisingEdge(dut.clk)
    # Whoever reads while matrices are updated meets the update, once for each entry.
    assert not bench.flags["memory_conflict"]
    layer = list(grouped_cores(bench.config.gradient, rng("layers"), 7))[-1]
    bench.hold(layer)
    dut.grouping__enable.value = 1
    await bench.update(layer, 0, 0, 0)
    compare(len(layer.rows), bench.flags["memory_conflict"], "conflicts", 0)


@cocotb.test()
async def it_takes_as_long_as_it_says(dut):
    bench = Bench(dut)
    await bench.start()
    for stream in (bench.commands, bench.completions, *bench.biases):
        stream.stall = 0
    await RisingEdge(dut.clk)
    await bench.update_biases(1, **NOTHING | {"columns": 3})
    cycles = 0
    for core in range(bench.sparse.cores):
        dut.biases_done.value = 1 << core
        await RisingEdge(dut.clk)
        cycles += 1
    dut.biases_done.value = 0
    while not int(dut.completions__valid.value) and cycles < LIMIT_CYCLES:
        await RisingEdge(dut.clk)
        cycles += 1
    compare(bench.sparse.cores + 2, cycles, "cycles", 0)
