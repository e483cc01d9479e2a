"""Layers' words and dense commands in; the memories that result against the reference."""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, parameters, rng
from rewardware.sw.reference.float.arithmetic import is_nonfinite
from rewardware.sw.reference.sparse_update.weight_update import dense_words, update
from tests.hw.cores.sparse.bench_address_generator import expected_words
from tests.hw.cores.sparse.grouped import grouped_layers
from tests.hw.cores.sparse.memories import ReadPort
from tests.hw.cores.sparse_update.optimizer_memory import OptimizerMemory, random_gradients


class Bench:
    """Memory of weights and mean squares, banks of gradients, the same for the reference, and what is written."""

    def __init__(self, dut, config):
        self.dut, self.config = dut, config
        sparse, random = config.sparse, rng("numbers")
        self.number_format = config.rms_prop.format
        self.memory = OptimizerMemory(dut, self.number_format, (sparse.parameter_words, config.lanes), random)
        self.gradients = random_gradients(config.gradient_format, random, (sparse.banks, sparse.weight_words))
        self.expected_flags = self.flags = self.outside = 0
        self.taken, self.written = [], []
        for bank in range(sparse.banks):
            ReadPort(dut, f"gradients__{bank}", self.gradients[bank], stays=False)
        cocotb.start_soon(self.run())

    def expect(self, words):
        if not words:
            return
        arrays = {name: np.array([word[name] for word in words]) for name in words[0]}
        memory = self.memory
        memory.expected = update(
            self.number_format, self.config.gradient_format, *memory.expected, self.gradients, arrays, **memory.rates
        )
        for word in words:
            lanes = np.flatnonzero(word["mask"] >> np.arange(self.config.lanes) & 1)
            address = word["parameter_address"]
            self.expected_flags += any(
                is_nonfinite(self.number_format, part[address, lanes]).any() for part in memory.expected
            )

    async def run(self):
        dut, cycle = self.dut, 0
        while True:
            await ReadOnly()
            if int(dut.words__valid.value) and int(dut.words__ready.value):
                self.taken.append(cycle)
            if self.memory.take(dut):
                self.written.append(cycle)
            errors = int(dut.errors.value)
            self.outside += errors & 1
            self.flags += errors >> 1 & 1
            await RisingEdge(dut.clk)
            cycle += 1

    def check(self, number):
        self.memory.check(number)
        assert self.flags == self.expected_flags


def dense(sparse, random, columns):
    words, rows = -(-columns // sparse.lanes), -(-columns // sparse.banks)
    return {
        "columns": columns,
        "parameter_base": int(random.integers(0, sparse.parameter_words - words + 1)),
        "weight_base": int(random.integers(0, sparse.weight_words - rows + 1)),
    }


@cocotb.test()
async def memories_follow_the_reference(dut):
    config, random = parameters()["config"], rng("layers")
    sparse = config.sparse
    words, commands = StreamSource(dut, "words"), StreamSource(dut, "commands")
    completions = StreamSink(dut, "completions")
    await clock_and_reset(dut)
    bench = Bench(dut, config)
    for number, layer in enumerate(grouped_layers(sparse, random, parameters()["layers"])):
        words.stall = (0.0, 0.4)[number % 2]
        listed = expected_words(sparse, layer, number % 3 == 0)
        bench.expect(listed)
        for word in listed:
            await words.send(word)
        # First what is under way, then biases: they may have the same addresses.
        await commands.send({"columns": 0, "parameter_base": 0, "weight_base": 0})
        await completions.receive()
        bench.check(f"layer {number}")
        columns = (1, sparse.lanes, sparse.lanes + 1, sparse.core_columns)[number % 4]
        command = dense(sparse, random, columns)
        dense_arrays = dense_words(lanes=sparse.lanes, banks=sparse.banks, **command)
        bench.expect(
            [
                {name: int(part[place]) for name, part in dense_arrays.items()}
                for place in range(len(dense_arrays["mask"]))
            ]
        )
        await commands.send(command)
        await completions.receive()
        await RisingEdge(dut.clk)
        assert not int(dut.busy.value)
        bench.check(f"biases {number}")
    assert bench.flags
    # A command that ends past a memory is refused.
    for name, limit in (("parameter_base", sparse.parameter_words), ("weight_base", sparse.weight_words)):
        await commands.send({"columns": sparse.lanes, "parameter_base": 0, "weight_base": 0} | {name: limit})
        await completions.receive()
    bench.check("errors")
    assert bench.outside == 2


@cocotb.test()
async def a_word_is_written_after_its_latency(dut):
    config = parameters()["config"]
    words = StreamSource(dut, "words", stall=0)
    StreamSink(dut, "completions")
    dut.commands__valid.value = 0
    await clock_and_reset(dut)
    bench = Bench(dut, config)
    layer = next(iter(grouped_layers(config.sparse, rng("latency"), 1)))
    for word in expected_words(config.sparse, layer, False)[:1] * 5:
        await words.send(word)
    for _ in range(parameters()["latency"] + 1):
        await RisingEdge(dut.clk)
    assert len(bench.taken) == 5
    assert [late - early for early, late in zip(bench.taken, bench.taken[1:], strict=False)] == [config.interval] * 4
    assert bench.written == [cycle + parameters()["latency"] for cycle in bench.taken]
