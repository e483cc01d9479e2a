"""Batches through both halves of a learner, each by itself, against the reference."""

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from rewardware.hw.cores.graph.perceptron import perceptron_graph
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float import host
from rewardware.sw.reference.layer.stages import backward, differentiate, forward, gradient
from tests.hw.cores.layer.stimulus import numbers, pack_word, pad_words

# Cycles in which a batch has to be done, a sample.
LIMIT = 1000


class Bench:
    """Two halves with the same weights."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format, self.layers = self.config.arithmetic.format, self.config.layers
        cuts = range(len(perceptron_graph(self.config).activations))
        self.inputs, self.errors = StreamSource(dut, "forward_inputs__0"), StreamSource(dut, "backward_errors")
        self.outputs, self.results = StreamSink(dut, "forward_outputs"), StreamSink(dut, "backward_results")
        self.leaving = [StreamSink(dut, f"forward_activations__{cut}") for cut in cuts]
        self.coming = [StreamSource(dut, f"backward_activations__{cut}") for cut in cuts]
        weights = rng("weights")
        self.weights = [numbers(weights, self.format, layer.rows, layer.outputs) for layer in self.layers]
        self.random = rng("samples")
        self.flags = 0

    async def prepare(self):
        """Reset, and weights."""
        dut = self.dut
        dut.backward_batch.value = 1
        for index in range(len(self.layers)):
            getattr(dut, f"weights_{index}__enable").value = getattr(dut, f"gradients_{index}__enable").value = 0
        await clock_and_reset(dut)
        for index, (layer, matrix) in enumerate(zip(self.layers, self.weights, strict=True)):
            for (address, lane), bits in np.ndenumerate(pad_words(layer, matrix)):
                settings = {"enable": 1, "address": address << layer.lane_width | lane, "data": int(bits)}
                for port, value in settings.items():
                    getattr(dut, f"weights_{index}__{port}").value = value
                await RisingEdge(dut.clk)
            getattr(dut, f"weights_{index}__enable").value = 0
        cocotb.start_soon(self.watch())

    async def watch(self):
        """Cycles in which the forward half says that a number is not finite."""
        while True:
            await FallingEdge(self.dut.clk)
            self.flags += int(self.dut.nonfinite.value)

    def put(self, source, values):
        """Queue numbers."""
        for bits in host.to_bits(self.format, values).ravel():
            source.put(int(bits))

    async def check(self, sink, values):
        """Numbers come out as they have to."""
        for index, bits in enumerate(host.to_bits(self.format, values).ravel()):
            compare(int(bits), await sink.receive(), sink.name, index)

    async def run(self, count):
        """A batch through one half, then through the other."""
        activations = [numbers(self.random, self.format, count, self.config.sizes[0])]
        for layer, matrix in zip(self.layers, self.weights, strict=True):
            activations.append(forward(layer, matrix, activations[-1]))
        self.put(self.inputs, activations[0])
        await self.check(self.outputs, activations[-1])
        for sink, values in zip(self.leaving, activations, strict=False):
            await self.check(sink, values)

        errors = numbers(self.random, self.format, count, self.config.sizes[-1])
        self.dut.backward_batch.value = count
        self.put(self.errors, errors)
        for source, values in zip(self.coming, activations, strict=False):
            self.put(source, values)
        for _ in range(LIMIT * count):
            await RisingEdge(self.dut.clk)
            if int(self.dut.backward_done.value):
                break
        else:
            raise AssertionError(f"A batch of {count} samples must be done within {LIMIT} cycles a sample")
        expected = []
        for index in reversed(range(len(self.layers))):
            layer = self.layers[index]
            errors = differentiate(layer, activations[index + 1], errors)
            expected.append(gradient(layer, activations[index], errors))
            errors = backward(layer, self.weights[index], errors)
        # The gradient that is ready last, first: done means that all are.
        for index, values in enumerate(reversed(expected)):
            await self.check_gradient(index, values)
        await self.check(self.results, errors)

    async def check_gradient(self, index, values):
        """The gradient of a layer is what it has to be."""
        dut = self.dut
        for address, expected in reversed(list(enumerate(pad_words(self.layers[index], values)))):
            getattr(dut, f"gradients_{index}__enable").value = 1
            getattr(dut, f"gradients_{index}__address").value = address
            await RisingEdge(dut.clk)
            await ReadOnly()
            word = int(getattr(dut, f"gradients_{index}__data").value)
            compare(pack_word(self.format, expected), word, f"gradients_{index}", address)
            await RisingEdge(dut.clk)
        getattr(dut, f"gradients_{index}__enable").value = 0


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await bench.prepare()
    parts = [bench.inputs, bench.errors, bench.outputs, bench.results, *bench.leaving, *bench.coming]
    for part in parts:
        part.stall = 0.3
    await bench.run(1)
    await bench.run(25)
    # One stream after the other is slow.
    for slow in parts:
        for part in parts:
            part.stall = 0.9 if part is slow else 0
        await bench.run(6)
    assert not bench.flags


async def flags(dut, number, weight):
    """Flags of one sample of such numbers, with such weights in the last layer."""
    bench = Bench(dut)
    bench.weights[-1][:] = weight
    await bench.prepare()
    bench.put(bench.inputs, np.full((1, bench.config.sizes[0]), number))
    for _ in range(bench.config.sizes[-1]):
        await bench.outputs.receive()
    return bench.flags


@cocotb.test()
async def an_infinite_input_is_flagged(dut):
    assert await flags(dut, np.inf, 1)


@cocotb.test()
async def infinite_numbers_of_the_last_layer_are_flagged(dut):
    assert await flags(dut, 1, np.inf)
