"""Batches through a graph and back, against the reference, and the cycles that they take.

Parameters: ``config``; ``period``, cycles from one experience to the next.
"""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float import host
from rewardware.sw.reference.graph.graph import backpropagate, propagate
from tests.hw.cores.layer.stimulus import numbers, pack_word, pad_words, parameter_shape

# Cycles in which a batch has to be done, an experience.
LIMIT = 20_000


class Bench:
    """A graph with random weights."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.arithmetic.format
        self.inputs = [StreamSource(dut, f"inputs__{index}") for index in range(len(self.config.inputs))]
        self.errors, self.outputs = StreamSource(dut, "errors"), StreamSink(dut, "outputs")
        weights = rng("weights")
        # Small enough that errors neither grow nor vanish.
        self.weights = [
            self.rounded(numbers(weights, self.format, *parameter_shape(node.layer)) / (2 * node.layer.inputs))
            for node in self.config.linear
        ]
        self.random = rng("samples")

    def rounded(self, values):
        """The nearest values of the format."""
        return host.from_bits(self.format, host.to_bits(self.format, values))

    async def prepare(self):
        """Reset, and weights."""
        dut = self.dut
        dut.batch.value = 1
        for index in range(len(self.weights)):
            getattr(dut, f"new_weights_{index}__enable").value = getattr(dut, f"gradients_{index}__enable").value = 0
        await clock_and_reset(dut)
        for index, (node, matrix) in enumerate(zip(self.config.linear, self.weights, strict=True)):
            for (address, lane), bits in np.ndenumerate(pad_words(node.layer, matrix)):
                settings = {"enable": 1, "address": address << node.layer.lane_width | lane, "data": int(bits)}
                for port, value in settings.items():
                    getattr(dut, f"new_weights_{index}__{port}").value = value
                await RisingEdge(dut.clk)
            getattr(dut, f"new_weights_{index}__enable").value = 0

    def stall(self, inputs, errors, outputs):
        """How often streams wait."""
        for source in self.inputs:
            source.stall = inputs
        self.errors.stall, self.outputs.stall = errors, outputs

    def put(self, source, values):
        """Queue numbers."""
        for bits in host.to_bits(self.format, values).ravel():
            source.put(int(bits))

    async def run(self, count):
        """A batch of experiences forward and back; returns its cycles."""
        dut, config = self.dut, self.config
        samples = count * config.agents
        tables = [numbers(self.random, self.format, samples, node.size) for node in config.inputs]
        errors = numbers(self.random, self.format, samples, config.output.size)
        expected = propagate(config, self.weights, tables)
        gradients = backpropagate(config, self.weights, expected, errors)
        dut.batch.value = count
        for source, table in zip(self.inputs, tables, strict=True):
            self.put(source, table)
        self.put(self.errors, errors)
        check = cocotb.start_soon(self._check_outputs(expected[config.output.name]))
        cycles = await self._finish(LIMIT * count)
        await check
        for index, (node, values) in enumerate(zip(config.linear, gradients, strict=True)):
            await self._check_gradient(index, node, values)
        return cycles

    async def _finish(self, limit):
        for cycle in range(limit):
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            if int(self.dut.done.value):
                return cycle
        raise AssertionError(f"A batch must be done within {limit} cycles")

    async def _check_outputs(self, values):
        for index, bits in enumerate(host.to_bits(self.format, values).ravel()):
            compare(int(bits), await self.outputs.receive(), "outputs", index)

    async def _check_gradient(self, index, node, values):
        dut = self.dut
        for address, expected in enumerate(pad_words(node.layer, values)):
            await RisingEdge(dut.clk)
            getattr(dut, f"gradients_{index}__enable").value = 1
            getattr(dut, f"gradients_{index}__address").value = address
            await RisingEdge(dut.clk)
            getattr(dut, f"gradients_{index}__enable").value = 0
            await ReadOnly()
            got = int(getattr(dut, f"gradients_{index}__data").value)
            compare(pack_word(self.format, expected), got, f"gradient of {node.name}", address)
        await RisingEdge(dut.clk)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await bench.prepare()
    for stalls in ((0.0, 0.0, 0.0), (0.8, 0.0, 0.0), (0.0, 0.8, 0.0), (0.0, 0.0, 0.8), (0.2, 0.2, 0.2)):
        bench.stall(*stalls)
        for count in (1, 4):
            await bench.run(count)
    # One input much later than the others.
    for late in bench.inputs:
        bench.stall(0, 0, 0)
        late.stall = 0.9
        await bench.run(3)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await bench.prepare()
    bench.stall(0, 0, 0)
    short, long = await bench.run(8), await bench.run(13)
    compare(5 * parameters()["period"], long - short, "cycles of five experiences", 0)
