"""Tables and banks in memories here; the gradients of rows and columns against the reference."""

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sim.cocotb.codec import codec_of
from rewardware.sw.reference.float.arithmetic import is_nonfinite
from rewardware.sw.reference.sparse_update.grouping_gradient import aggregate, column_sums, row_sums
from tests.hw.cores.sparse.grouped import FIELDS
from tests.hw.cores.sparse.memories import ReadPort
from tests.hw.cores.sparse_update.grouped_cores import grouped_cores, large_group
from tests.hw.cores.transfer_cycles import TransferCycles


class Entries:
    """The table of a core, for the layer of the moment."""

    def __init__(self, memories, core):
        self._memories, self._core = memories, core

    def __getitem__(self, address):
        layer = self._memories.layer
        forward, rank = layer.forward[self._core], address - layer.table_base
        return self._memories.codec.pack({name: int(getattr(forward, name)[rank]) for name in FIELDS})


class Memories:
    """The memories that the component reads, and its errors."""

    def __init__(self, dut, config):
        self.dut, self.config, self.layer = dut, config, None
        self.codec = codec_of(parameters()["table_layout"])
        self.outside = self.flags = 0
        for core in range(config.sparse.cores):
            ReadPort(dut, f"tables__{core}", Entries(self, core), stays=False)
            cocotb.start_soon(self.serve(core))
        cocotb.start_soon(self.watch())

    async def serve(self, core):
        dut, depth = self.dut, self.config.sparse.weight_words
        banks = range(self.config.sparse.banks)
        addresses = [getattr(dut, f"gradients__{core}__{bank}__address") for bank in banks]
        outputs = [getattr(dut, f"{name}__{core}__{bank}__data") for name in ("weights", "gradients") for bank in banks]
        read_enable = getattr(dut, f"weights__{core}__0__enable")
        for port in outputs:
            port.value = 0
        held = False
        while True:
            await ReadOnly()
            words = None
            if int(read_enable.value):
                # Lanes after a group may read anywhere.
                places = [int(port.value) % depth for port in addresses]
                found = self.layer.weights[core, banks, places], self.layer.gradients[core, banks, places]
                words = [int(word) for part in found for word in part]
            elif held:
                # Data hold for one cycle only.
                words = [0] * len(outputs)
            held = bool(int(read_enable.value))
            await RisingEdge(dut.clk)
            for port, word in zip(outputs, words or [], strict=False):
                port.value = word

    async def watch(self):
        """Count errors; a gradient that is infinite or NaN is told of in the cycle in which it is taken."""
        words = codec_of(parameters()["word_layout"])
        names = ["rows", *(f"columns__{core}" for core in range(self.config.sparse.cores))]
        ports = [[getattr(self.dut, f"{name}__{part}") for part in ("valid", "ready", "payload")] for name in names]
        while True:
            await FallingEdge(self.dut.clk)
            taken = [words.unpack(int(payload.value)) for valid, ready, payload in ports if valid.value and ready.value]
            sums = [total for word in taken for lane, total in enumerate(word["sums"]) if word["mask"] >> lane & 1]
            errors = int(self.dut.errors.value)
            compare(int(is_nonfinite(self.config.format, np.array(sums, int)).any()), errors >> 1, "nonfinite", 0)
            self.outside += errors & 1
            self.flags += errors >> 1


def expected_words(config, tables, sums, of_columns):
    """Words of all groups; what stands in lanes without a sum is None."""
    banks = config.sparse.banks
    for place, group in enumerate(tables.group):
        start = (tables.outer_start if of_columns else tables.inner_start)[place]
        for first in range(0, len(sums[place]), banks):
            lanes = [int(number) for number in sums[place][first : first + banks]]
            mask = (1 << len(lanes)) - 1
            yield {"group": int(group), "place": int(start) + first, "mask": mask, "sums": lanes}


async def check(memories, sink, port, expected, number):
    for place, word in enumerate(expected):
        got = await sink.receive()
        got["sums"] = got["sums"][: len(word["sums"])]
        compare(word, got, f"{port} of layer {number}", place)
    return sum(bool(is_nonfinite(memories.config.format, word["sums"]).any()) for word in expected)


@cocotb.test()
async def gradients_follow_the_reference(dut):
    config, random = parameters()["config"], rng("layers")
    cores = config.sparse.cores
    commands, completions = StreamSource(dut, "commands"), StreamSink(dut, "completions")
    rows = StreamSink(dut, "rows")
    columns = [StreamSink(dut, f"columns__{core}", parameters()["word_layout"]) for core in range(cores)]
    await clock_and_reset(dut)
    memories = Memories(dut, config)
    nonfinite = 0
    given = list(grouped_cores(config, random, parameters()["layers"]))
    # Sums of all slots wait for their turn, for any number of cycles.
    given += [large_group(config, random) for _ in range(6)]
    for number, layer in enumerate(given):
        for sink in (rows, *columns):
            sink.stall = (0.0, 0.6)[number % 2] if number < parameters()["layers"] else 0.95
        memories.layer = layer
        parts = list(zip(layer.forward, layer.weights, layer.gradients, strict=True))
        for of_columns in (0, 1):
            await commands.send({"table_base": layer.table_base, "groups": layer.groups, "columns": of_columns})
            await completions.receive()
            await RisingEdge(dut.clk)
            assert not int(dut.busy.value)
            if of_columns:
                for core, part in enumerate(parts):
                    sums = column_sums(config.format, *part)
                    expected = list(expected_words(config, part[0], sums, True))
                    nonfinite += await check(memories, columns[core], f"columns of core {core}", expected, number)
            else:
                sums = aggregate(config.format, [row_sums(config.format, *part) for part in parts])
                expected = list(expected_words(config, layer.forward[0], sums, False))
                nonfinite += await check(memories, rows, "rows", expected, number)
            assert not any(len(sink) for sink in (rows, *columns))
    assert nonfinite
    assert memories.flags
    flags = memories.flags
    most = 2 * config.sparse.tuples
    for base, groups in ((most, 1), (0, config.sparse.groups + 1)):
        await commands.send({"table_base": base, "groups": groups, "columns": 0})
        await completions.receive()
    await commands.send({"table_base": 0, "groups": 0, "columns": 1})
    await completions.receive()
    assert (memories.outside, memories.flags) == (2, flags)


@cocotb.test()
async def it_takes_as_long_as_it_says(dut):
    config, random = parameters()["config"], rng("cycles")
    commands, completions = StreamSource(dut, "commands", stall=0), StreamSink(dut, "completions", stall=0)
    for core in range(config.sparse.cores):
        getattr(dut, f"columns__{core}__ready").value = 1
    dut.rows__ready.value = 1
    await clock_and_reset(dut)
    memories = Memories(dut, config)
    seen = TransferCycles(dut, "commands", "completions")
    for number, layer in enumerate(grouped_cores(config, random, 6)):
        memories.layer = layer
        await commands.send({"table_base": layer.table_base, "groups": layer.groups, "columns": 1})
        await completions.receive()
        depth, takes = config.adder_depth, []
        for table in layer.forward:
            blocks = -(-table.outer_count // config.block)
            each = (table.inner_count.clip(1) + 1) * depth + parameters()["latency"] + 2
            takes.append(int((blocks * each + 3).sum()))
        cycles = seen.taken["completions"][-1] - seen.taken["commands"][-1]
        # To the cores, from them, and to the completion.
        compare(max(takes) + 3, cycles, "cycles of layer", number)
