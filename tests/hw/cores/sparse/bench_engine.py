"""Layers of a network through the engine, whose memories are here."""

import itertools

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.sparse.core import LIST_READERS
from rewardware.hw.cores.sparse.engine import COUNTERS
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.mapping.sparse import sparse_cycles
from rewardware.sw.reference.sparse.engine import group_layer, grouping_words
from rewardware.sw.reference.sparse.load_allocation import deviation, row_based, threshold_based
from tests.hw.cores.sparse.grouped import FIELDS
from tests.hw.cores.sparse.memories import ReadPort, WritePort
from tests.hw.cores.sparse.stimulus import layers

READS = ("read_row_lists", "read_column_lists", "read_tables")
STAGES = ("find", "encode", "transpose", "compress", "walk", "every_word")
ERRORS = ("too_many_groups", "address_out_of_range", "missing_tuple", "not_a_number")
# Bases of a command, and the sizes of the memories that they are in.
DEPTHS = {
    "grouping": "grouping_words", "index": "index_words", "group": "tuples", "row": "row_list",
    "column": "column_list", "weight": "weight_words", "parameter": "parameter_words",
}  # fmt: skip
BASES = tuple(DEPTHS)


class Bench:
    """The engine, its memories and what it wrote."""

    def __init__(self, dut, config):
        run = parameters()
        self.dut, self.config, self.random = dut, config, rng("bench")
        self.entry, self.counters = codec_of(run["entry_layout"]), codec_of(run["counters_layout"])
        self.errors_codec = codec_of(run["errors_layout"])
        self.grouping, self.parameters = {}, [{} for _ in range(config.cores)]
        self.banks = np.full((config.cores, config.banks, config.weight_words), -1)
        self.errors = set()
        self.cycles = 0

    async def start(self):
        dut, config = self.dut, self.config
        dut.clear_counters.value = 0
        for name, core, reader in itertools.product(READS, range(config.cores), range(LIST_READERS)):
            getattr(dut, f"{name}__{core}__{reader}__enable").value = 0
        self.commands, self.completions = StreamSource(dut, "commands"), StreamSink(dut, "completions", stall=0)
        self.words = [StreamSink(dut, f"words__{core}", stall=0.2) for core in range(config.cores)]
        await clock_and_reset(dut)
        ReadPort(dut, "grouping", self.grouping)
        for core in range(config.cores):
            ReadPort(dut, f"parameters__{core}", self.parameters[core], config.parameter_latency)
        cocotb.start_soon(self._take())

    async def _take(self):
        dut, config = self.dut, self.config

        def into(array):
            return array.__setitem__

        ports = [
            (WritePort(dut, f"weights__{core}__{bank}"), into(self.banks[core, bank]))
            for core, bank in itertools.product(range(config.cores), range(config.banks))
        ]
        while True:
            await ReadOnly()
            self.cycles += 1
            if int(dut.errors.value):
                found = self.errors_codec.unpack(int(dut.errors.value))
                self.errors |= {name for name, value in found.items() if value}
            for port, take in ports:
                if (found := port.take()) is not None:
                    take(*found)
            await RisingEdge(dut.clk)

    async def do(self, layer, **stages):
        """One command, to its completion; how many cycles each kind took."""
        await self.clear_counters()
        return await self.do_all([(layer, stages)])

    async def clear_counters(self):
        self.dut.clear_counters.value = 1
        await RisingEdge(self.dut.clk)
        self.dut.clear_counters.value = 0

    async def do_all(self, given):
        """Commands at once, to the last completion; how many cycles each kind took since counters were cleared."""
        for layer, stages in given:
            command = {name: int(stages.get(name, 0)) for name in STAGES}
            command |= {"groups": layer.groups, "rows": layer.row_count, "columns": layer.column_counts}
            self.commands.put(command | {f"{name}_base": layer.bases[name] for name in BASES})
        await self.completions.receive_all(len(given))
        await ReadOnly()
        cycles = self.counters.unpack(int(self.dut.counters.value))
        await RisingEdge(self.dut.clk)
        return cycles


class Layer:
    """A layer whose maxima are where ``rows`` and ``columns`` say, laid out in the memories of the bench."""

    def __init__(self, bench, rows, columns, groups, bases):
        config, random = bench.config, bench.random
        self.groups, self.row_count, self.column_counts = groups, len(rows), [len(own) for own in columns]
        self.bases = bases
        values = []
        for indexes in (rows, *columns):
            # Below one, and at the maximum two; the upper groups tie with it sometimes.
            matrix = random.integers(0, config.format.one, (groups, len(indexes)))
            top = config.format.one + (1 << config.format.fraction_bits)
            matrix[indexes, np.arange(len(indexes))] = top
            ties = (random.random(matrix.shape) < 0.1) & (np.arange(groups)[:, None] > indexes)
            values.append(np.where(ties, top, matrix))
        for place, word in enumerate(grouping_words(config.lanes, values[0], values[1:])):
            bits = sum(int(value) << config.format.width * lane for lane, value in enumerate(word))
            bench.grouping[bases["grouping"] + place] = bits
        starts = {f"{name}_base": bases[name] for name in ("row", "column", "weight")}
        self.expected = group_layer(config, values[0], values[1:], **starts)
        assert self.expected.rows.tolist() == list(rows)
        self.weights = []
        for core, own in enumerate(columns):
            weights = random.integers(0, 1 << config.weight_width, (len(rows), len(own)))
            padded = np.pad(weights, ((0, 0), (0, -len(own) % config.lanes))).reshape(-1, config.lanes)
            for place, word in enumerate(padded):
                bits = sum(int(weight) << config.weight_width * lane for lane, weight in enumerate(word))
                bench.parameters[core][bases["parameter"] + place] = bits
            self.weights.append(weights)


def last_bases(config, rows, columns, groups):
    """The last place in each memory where a layer fits, whatever its weights."""
    most = max(len(own) for own in columns)
    blocks = sum(-(-len(part) // config.lanes) for part in (rows, *columns))
    sizes = {
        "grouping": blocks * groups,
        "index": blocks,
        "group": groups,
        "row": len(rows),
        "column": most,
        "parameter": len(rows) * -(-most // config.lanes),
        "weight": len(rows) * (-(-most // config.banks)) + 1,
    }
    return {name: getattr(config, DEPTHS[name]) - size for name, size in sizes.items()}


def random_bases(config, random, rows, columns, groups):
    """Somewhere in each memory where the layer fits."""
    ends = last_bases(config, rows, columns, groups)
    return {name: int(random.choice([0, end, random.integers(0, end + 1)])) for name, end in ends.items()}


async def read(bench, name, core, address):
    """A word of a core's memory, through one of its read ports."""
    dut = bench.dut
    port = f"{name}__{core}__{bench.random.integers(LIST_READERS)}"
    enable, place, data = (getattr(dut, f"{port}__{part}") for part in ("enable", "address", "data"))
    enable.value, place.value = 1, int(address)
    await RisingEdge(dut.clk)
    enable.value = 0
    await ReadOnly()
    word = int(data.value)
    await RisingEdge(dut.clk)
    return word


async def check_list(bench, name, core, base, expected, number):
    """A list of a core, from its base on."""
    got = [await read(bench, name, core, base + place) for place in range(len(expected))]
    compare(expected, got, f"{name} of core {core}", number)


async def check_lists(bench, layer, number):
    """Lists and tables of both directions."""
    expected, bases = layer.expected, layer.bases
    for core in range(bench.config.cores):
        await check_list(bench, "read_row_lists", core, bases["row"], expected.row_list, number)
        await check_list(bench, "read_column_lists", core, bases["column"], expected.forward.lists[core], number)
        for direction, table in enumerate(expected.tables[core]):
            for rank in range(layer.groups):
                entry = {name: int(getattr(table, name)[rank]) for name in FIELDS}
                address = 2 * bases["group"] + direction * layer.groups + rank
                got = bench.entry.unpack(await read(bench, "read_tables", core, address))
                compare(entry, got, f"table {direction} of core {core}, entry {rank}", number)


def check_ends(bench, layer, number):
    """Where the weights of the last layer end."""
    for core, end in enumerate(layer.expected.weight_ends):
        compare(end, int(getattr(bench.dut, f"weight_ends__{core}").value), f"end of core {core}", number)


def check_banks(bench, layers, number):
    """The banks hold the weights of these layers and nothing else."""
    for core in range(bench.config.cores):
        banks = np.full((bench.config.banks, bench.config.weight_words), -1)
        for layer in layers:
            bases = {f"{name}_base": layer.bases[name] for name in ("row", "column")}
            layer.expected.compress(bench.config, core, layer.weights[core], banks, **bases)
        for bank in range(bench.config.banks):
            compare(banks[bank], bench.banks[core, bank], f"bank {bank} of core {core}", number)


async def check_words(bench, layer, every_word):
    """The words of a walk through a layer."""
    bases = {f"{name}_base": layer.bases[name] for name in ("row", "parameter")}
    for core, sink in enumerate(bench.words):
        words = layer.expected.words(bench.config, core, every_word=bool(every_word), **bases)
        for place in range(len(words["row"])):
            expected = {name: int(part[place]) for name, part in words.items()}
            compare(expected, await sink.receive(), f"words of core {core}", place)


def check_loads(bench, layer, number):
    workloads = layer.expected.workloads()
    for name, parts in (
        ("row", row_based(workloads, bench.config.cores)),
        ("threshold", threshold_based(workloads, bench.config.cores)),
    ):
        got = [int(getattr(bench.dut, f"{name}_based__{core}").value) for core in range(bench.config.cores)]
        compare(parts, got, f"{name}-based workloads", number)
        compare(deviation(parts), int(getattr(bench.dut, f"{name}_deviation").value), f"{name} deviation", number)


def expected_cycles(bench, layer, stages):
    """All counters, from the model."""
    model = sparse_cycles(bench.config, layer.expected)
    total = dict.fromkeys(COUNTERS, 0)
    for stage in stages:
        for name, cycles in model[stage].items():
            total[name] += cycles
    return total


@cocotb.test()
async def a_layer_never_encoded_is_flagged(dut):
    """First of all: memories keep what they have from one test to the next."""
    config = parameters()["config"]
    bench = Bench(dut, config)
    await bench.start()
    columns = [np.zeros(1, int)] * config.cores
    layer = Layer(bench, np.zeros(1, int), columns, 1, dict.fromkeys(BASES, 0))
    for stage in ("transpose", "compress", "walk"):
        bench.errors = set()
        await bench.do(layer, **{stage: 1})
        assert bench.errors == {"missing_tuple"}, stage


@cocotb.test()
async def a_layer_follows_the_reference(dut):
    config, random = parameters()["config"], rng("layers")
    bench = Bench(dut, config)
    await bench.start()
    spent = dict.fromkeys(COUNTERS, 0)
    for number, (rows, columns, groups) in enumerate(layers(config, random, parameters()["layers"])):
        layer = Layer(bench, rows, columns, groups, random_bases(config, random, rows, columns, groups))
        bench.banks[:] = -1
        # Counters of some layers go on from those of the layers before.
        if number in (0, 1, 18):
            await bench.clear_counters()
            spent = dict.fromkeys(COUNTERS, 0)
        cycles = await bench.do_all([(layer, dict.fromkeys(STAGES[:4], 1))])
        await check_lists(bench, layer, number)
        check_ends(bench, layer, number)
        check_banks(bench, [layer], number)
        check_loads(bench, layer, number)
        spent = {name: spent[name] + own for name, own in expected_cycles(bench, layer, STAGES[:4]).items()}
        compare(spent, cycles, "counters", number)
        assert not bench.errors, bench.errors


def network_of(bench, random):
    """Three layers one after another."""
    config = bench.config
    groups, shapes = min(3, config.groups), [(5, 3), (config.rows // 2, 2), (3, 4)]
    network, bases = [], dict.fromkeys(BASES, 0)
    for rows, own in shapes:
        columns = [random.integers(0, groups, own) for _ in range(config.cores)]
        layer = Layer(bench, random.integers(0, groups, rows), columns, groups, dict(bases))
        network.append(layer)
        blocks = -(-rows // config.lanes) + config.cores * -(-own // config.lanes)
        bases["grouping"] += blocks * groups
        bases["index"] += blocks
        bases["group"] += groups
        bases["row"] += rows
        bases["column"] += own
        bases["weight"] = max(layer.expected.weight_ends)
        bases["parameter"] += rows * -(-own // config.lanes)
    return network


@cocotb.test()
async def stages_work_at_a_time(dut):
    """Commands in a row: the same as one by one, in fewer cycles than their stages take."""
    config = parameters()["config"]
    bench = Bench(dut, config)
    await bench.start()
    network, everything = network_of(bench, rng("network")), dict.fromkeys(STAGES[:4], 1)
    await bench.clear_counters()
    begin = bench.cycles
    cycles = await bench.do_all([(layer, everything) for layer in network])
    expected = [expected_cycles(bench, layer, STAGES[:4]) for layer in network]
    compare({name: sum(of[name] for of in expected) for name in COUNTERS}, cycles, "counters", 0)
    assert bench.cycles - begin < sum(cycles.values())
    for number, layer in enumerate(network):
        await check_lists(bench, layer, number)
    check_banks(bench, network, 0)
    assert not bench.errors, bench.errors


def anew(bench, random):
    """Makes a layer, and another one in the same place of all memories but that of the grouping matrices."""
    config = bench.config
    groups, rows, own = config.groups, config.rows // 2, min(4, config.core_columns)
    for grouping in (0, config.grouping_words // 2):
        columns = [random.integers(0, groups, own) for _ in range(config.cores)]
        bases = dict.fromkeys(BASES, 0) | {"grouping": grouping}
        yield Layer(bench, random.integers(0, groups, rows), columns, groups, bases)


@cocotb.test()
async def a_layer_is_grouped_anew_when_it_is_done(dut):
    """Other maxima for the same layer, right after its command: they must not meet it."""
    bench = Bench(dut, parameters()["config"])
    await bench.start()
    first, second = anew(bench, rng("anew"))
    await bench.do_all([(first, dict.fromkeys(STAGES[:4], 1)), (second, {"find": 1})])
    await check_lists(bench, first, 0)
    check_ends(bench, first, 0)
    assert not bench.errors, bench.errors


@cocotb.test()
async def a_layer_is_grouped_anew_when_it_is_walked(dut):
    """Other maxima and lists for the same layer while it is walked, slowly, as its words are hardly taken."""
    config = parameters()["config"]
    bench = Bench(dut, config)
    await bench.start()
    first, second = anew(bench, rng("walked"))
    await bench.do(first, find=1, encode=1, transpose=1)
    for sink in bench.words:
        sink.stall = 0.95
    done = cocotb.start_soon(
        bench.do_all([(first, {"compress": 1, "walk": 1}), (second, dict.fromkeys(STAGES[:3], 1))])
    )
    await check_words(bench, first, 0)
    await done
    # The weights of both are in the same place: those of the second.
    first.weights = second.weights
    check_banks(bench, [first], 0)
    await check_lists(bench, second, 1)
    assert not bench.errors, bench.errors


@cocotb.test()
async def layers_of_a_network_stay(dut):
    """Three layers one after another; then the first is compressed again and walked."""
    config = parameters()["config"]
    bench = Bench(dut, config)
    await bench.start()
    network = network_of(bench, rng("network"))
    for layer in network:
        await bench.do(layer, find=1, encode=1)
        await bench.do(layer, transpose=1)
        await bench.do(layer, compress=1)
    for number, layer in enumerate(network):
        await check_lists(bench, layer, number)
    first = network[0]
    bench.banks[:] = -1
    await bench.do(first, compress=1)
    check_banks(bench, [first], 0)
    for every_word in (0, 1):
        done = cocotb.start_soon(bench.do(first, walk=1, every_word=every_word))
        await check_words(bench, first, every_word)
        await done
        assert not any(len(sink) for sink in bench.words)
    assert not bench.errors, bench.errors


@cocotb.test()
async def bad_commands_are_refused(dut):
    config = parameters()["config"]
    bench = Bench(dut, config)
    await bench.start()
    rows, columns = np.zeros(config.rows, int), [np.zeros(config.core_columns, int)] * config.cores
    layer = Layer(bench, rows, columns, 2, dict.fromkeys(BASES, 0))

    async def errors(changes, **stages):
        kept = {name: getattr(layer, name) for name in ("groups", "row_count", "column_counts")} | layer.bases
        for name, value in changes.items():
            if name in BASES:
                layer.bases[name] = value
            else:
                setattr(layer, name, value)
        bench.errors = set()
        await bench.do(layer, **stages)
        for name in ("groups", "row_count", "column_counts"):
            setattr(layer, name, kept[name])
        layer.bases = {name: kept[name] for name in BASES}
        return bench.errors

    everything = {"find": 1, "encode": 1, "transpose": 1, "compress": 1}
    assert await errors({}, transpose=1) == {"missing_tuple"}
    assert await errors({"groups": 0}, **everything) == {"too_many_groups"}
    assert await errors({"groups": config.groups + 1, "index": 0}, encode=1) >= {"too_many_groups"}
    counts = [config.core_columns] * config.cores
    outside = [
        {"row_count": 0},
        {"row_count": config.rows + 1},
        {"column_counts": [0] * config.cores},
        {"column_counts": [config.core_columns + 1, *counts[1:]]},
        {"weight": config.weight_words},
    ]
    # One place too far for the largest layer; weights are found not to fit after their tables are made.
    ends = last_bases(config, rows, columns, layer.groups)
    outside += [{name: end + 1} for name, end in ends.items() if name != "weight"]
    # Each bit of a field, also those far above what fits.
    outside += [{"row_count": 1 << bit} for bit in range(config.rows.bit_length(), 16)]
    for core in range(config.cores):
        for bit in range(config.core_columns.bit_length(), 16):
            outside.append({"column_counts": [1 << bit if core == other else 1 for other in range(config.cores)]})
    for name, depth in DEPTHS.items():
        outside += [{name: 1 << bit} for bit in range(getattr(config, depth).bit_length(), 20)]
    for bit in range(config.groups.bit_length(), 8):
        assert "too_many_groups" in await errors({"groups": 1 << bit}, **everything), bit
    for changes in outside:
        assert await errors(changes, **everything) == {"address_out_of_range"}, changes
    assert await errors({"weight": config.weight_words - 1}, **everything) == {"address_out_of_range"}
    assert await errors({}, **everything) == set()
    assert await errors({"groups": 1}, encode=1) == set()
    bench.grouping[0] = config.format.quiet_nan
    assert await errors({}, find=1) == {"not_a_number"}
    # Lane 0 of row 0 is now in group 1: encoding it with one group names a group without a tuple.
    assert await errors({"groups": 1}, encode=1) == {"missing_tuple"}
