"""A network of an Inception module's kind: branches of im2col, kn2row and Winograd's algorithm, concatenated, and a
layer after them.

Parameters: ``config`` of the engine, ``layout`` of the unit before it.
"""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.convolution.commands import Dataflow
from rewardware.hw.cores.convolution.layout_commands import tile_command, toeplitz_command, unit_command
from rewardware.hw.cores.convolution.shape import ConvolutionShape, OutputPart
from rewardware.hw.cores.convolution.store_commands import matrix_store, tile_store
from rewardware.hw.cores.convolution.word_commands import FeatureMap
from rewardware.sim.cocotb import StreamSource, clock_and_reset, parameters
from rewardware.sw.reference.convolution.algorithms import direct
from rewardware.sw.reference.convolution.requantization import requantize
from rewardware.sw.reference.convolution.winograd import F23, sub_kernels

from .bench_gemm_engine import Bench
from .bench_layouts_on_array import LIMIT, LayoutBench
from .bench_store_unit import packed
from .gemm_model import sum_rows
from .with_stores import WithStores, store_config

SHIFT = 24


class LayerBench(LayoutBench):
    """All units."""

    def __init__(self, dut):
        self.layout = parameters()["layout"]
        Bench.__init__(self, dut, WithStores(parameters()["config"], self.layout))
        self.layouts, self.stores = StreamSource(dut, "layout_commands"), StreamSource(dut, "store_commands")
        self.store = store_config(self.config, self.layout)
        memory = self.store.features
        self.words = np.zeros(memory.rows * memory.lanes, np.int64)
        cocotb.start_soon(self._watch_features())

    async def _watch_features(self):
        """Keep the words that are written to the feature map."""
        memory = self.store.features
        while True:
            await ReadOnly()
            for port in ("stored", "features"):
                enable = int(getattr(self.dut, f"{port}__enable").value)
                if not enable:
                    continue
                begins = int(getattr(self.dut, f"{port}__row").value) * memory.lanes
                begins += int(getattr(self.dut, f"{port}__lane").value)
                bits = int(getattr(self.dut, f"{port}__data").value)
                for lane in range(memory.lanes):
                    if enable >> lane & 1:
                        word = bits >> memory.width * lane & (1 << memory.width) - 1
                        self.words[(begins + lane) % len(self.words)] = word - (
                            word >> memory.width - 1 << memory.width
                        )
            await RisingEdge(self.dut.clk)

    def features(self, place, lines, columns, channels):
        """A feature map as it is there."""
        return self.words[place : place + lines * columns * channels].reshape(lines, columns, channels)

    async def write_parameters(self, biases, multipliers):
        """Write the parameters of a layer, from row 0 on."""
        lanes, width = self.store.lanes, self.config.array.sum_width
        for row, first in enumerate(range(0, len(biases), lanes)):
            data = packed(biases[first : first + lanes], width)
            data |= packed(multipliers[first : first + lanes], 16) << width * lanes
            self.dut.parameters__enable.value, self.dut.parameters__address.value = 1, row
            self.dut.parameters__data.value = data
            await RisingEdge(self.dut.clk)
        self.dut.parameters__enable.value = 0
        await RisingEdge(self.dut.clk)

    async def put_away(self, command):
        """Have the unit store words."""
        self.stores.put(command)
        for _ in range(LIMIT):
            await RisingEdge(self.dut.clk)
            if int(self.dut.store_completions__valid.value):
                await RisingEdge(self.dut.clk)
                return
        raise AssertionError(f"No completion of a store within {LIMIT} cycles")

    async def layer(self, algorithm, dataflow, shape, kernels, place, features):
        """A convolution from feature map to feature map; returns what it must be."""
        picture = self.features(place, *shape.picture, shape.input_channels)
        channels = shape.output_channels
        biases, multipliers = self.rng.integers(-9999, 9999, channels), self.rng.integers(1 << 13, 1 << 15, channels)
        words = {"shift": SHIFT, "rectifies": int(self.rng.integers(2))}
        expected, _ = requantize(
            direct(shape, picture, kernels),
            bias=biases,
            multiplier=multipliers,
            shift=SHIFT,
            rectified=bool(words["rectifies"]),
            accumulator_width=self.config.array.sum_width,
        )
        await self.write_parameters(biases, multipliers)
        where = {"sum_row": 0, "parameter_row": 0, **words}
        turned = dataflow == Dataflow.INPUT_STATIONARY
        if algorithm == "winograd":
            lines, columns = F23.tiles(shape)
            high = 1 if turned else lines
            for line in range(0, lines, high):
                part = OutputPart(first=(line, 0), size=(high, columns))
                await self._winograd(dataflow, shape, kernels, place, part)
                command = tile_store(self.store, shape, (2, 3), features, turned=turned, part=part, **where)
                await self.put_away(command)
        else:
            await getattr(self, f"_{algorithm}")(dataflow, shape, kernels, place)
            await self.put_away(matrix_store(self.store, shape, features, turned=turned, **where))
        return expected

    async def _im2col(self, dataflow, shape, kernels, place):
        lines = shape.output[0] * shape.output[1]
        pitch = self._pitch(lines)
        await self.lay_out(toeplitz_command(self.layout, shape, place=place, base=0, pitch=pitch), 0)
        weights = kernels.reshape(-1, shape.output_channels)
        await self._multiply(dataflow, lines, weights, stride=pitch)

    async def _kn2row(self, dataflow, shape, kernels, place):
        lines = shape.output[0] * shape.output[1]
        pitch = self._pitch(lines)
        for number, element in enumerate(np.ndindex(*shape.kernel)):
            await self.lay_out(unit_command(self.layout, shape, element, place=place, base=0, pitch=pitch), 0)
            await self._multiply(dataflow, lines, kernels[element], stride=pitch, accumulate=number > 0)

    async def _winograd(self, dataflow, shape, kernels, place, part):
        lines = part.pixels
        pitch = self._pitch(lines)
        await self.lay_out(tile_command(self.layout, shape, (2, 3), place=place, base=0, pitch=pitch, part=part), 0)
        weights = F23.transform_kernels(sub_kernels(F23, kernels, (0, 0)))
        blocks = -(-shape.input_channels // self.config.array.rows)
        step = sum_rows(self.config, dataflow, lines, shape.output_channels)
        for index, number in enumerate(np.ndindex(4, 4)):
            here = {"input_row": index * blocks * pitch, "sum_row": index * step}
            await self._multiply(dataflow, lines, weights[number], stride=pitch, **here)

    async def _multiply(self, dataflow, lines, weights, *, stride, input_row=0, sum_row=0, accumulate=False):
        where = {"half": 0, "input_row": input_row, "stride": stride, "sum_row": sum_row, "accumulate": accumulate}
        await self.product(dataflow, lines, weights, **where)

    def _pitch(self, lines):
        return -(-lines // self.config.array.rows) * self.config.array.rows


@cocotb.test()
async def inception(dut):
    bench = LayerBench(dut)
    await clock_and_reset(dut)
    channels, picture = 3, (5, 4)
    await bench.write_features(bench.rng.integers(-128, 128, (*picture, channels)), 0)
    around = ((1, 1), (1, 1))
    branches = [
        ("im2col", Dataflow.NON_STATIONARY, 2, (1, 1), ((0, 0), (0, 0))),
        ("winograd", Dataflow.WEIGHT_STATIONARY, 4, (3, 3), around),
        ("kn2row", Dataflow.INPUT_STATIONARY, 3, (3, 3), around),
    ]
    total = sum(outputs for _, _, outputs, _, _ in branches)
    middle, first, expected = 70, 0, []
    for algorithm, dataflow, outputs, kernel, padding in branches:
        shape = ConvolutionShape(
            input_channels=channels, output_channels=outputs, picture=picture, kernel=kernel, padding=padding
        )
        kernels = bench.rng.integers(-128, 128, (*kernel, channels, outputs))
        features = FeatureMap(place=middle, channels=total, first=first)
        expected.append(await bench.layer(algorithm, dataflow, shape, kernels, 0, features))
        first += outputs
    assert (bench.features(middle, *picture, total) == np.concatenate(expected, axis=2)).all()
    for algorithm, dataflow, stride in (
        ("im2col", Dataflow.WEIGHT_STATIONARY, (2, 2)),
        ("kn2row", Dataflow.NON_STATIONARY, (2, 1)),
        ("im2col", Dataflow.INPUT_STATIONARY, (1, 2)),
        ("winograd", Dataflow.NON_STATIONARY, (1, 1)),
        ("winograd", Dataflow.INPUT_STATIONARY, (1, 1)),
    ):
        shape = ConvolutionShape(
            input_channels=total, output_channels=5, picture=picture, kernel=(3, 3), stride=stride, padding=around
        )
        kernels = bench.rng.integers(-128, 128, (3, 3, total, 5))
        words = await bench.layer(algorithm, dataflow, shape, kernels, middle, FeatureMap(place=300, channels=5))
        assert (bench.features(300, *shape.output, 5) == words).all(), algorithm
    assert not bench.errors
