"""Convolutions on layout transformation unit, GEMM engine and accumulators.

Parameters: ``config`` of the engine, ``layout`` of the unit.
"""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.convolution.commands import Dataflow
from rewardware.hw.cores.convolution.layout_commands import tile_command, toeplitz_command, unit_command
from rewardware.hw.cores.convolution.shape import ConvolutionShape
from rewardware.sim.cocotb import StreamSource, clock_and_reset, parameters
from rewardware.sw.reference.convolution.algorithms import direct, matrix_product
from rewardware.sw.reference.convolution.winograd import F23, F43, rounds, sub_kernels, to_input_tiles

from .bench_gemm_engine import Bench
from .gemm_model import sum_rows, weight_rows
from .with_layouts import WithLayouts

TRANSFORMS = {(2, 3): F23, (4, 3): F43}
LIMIT = 5000

SHAPES = [
    ConvolutionShape(input_channels=4, output_channels=6, picture=(5, 4), kernel=(3, 3), padding=((1, 1), (0, 1))),
    ConvolutionShape(input_channels=3, output_channels=2, picture=(6, 7), kernel=(2, 3), stride=(2, 3)),
    ConvolutionShape(input_channels=2, output_channels=7, picture=(3, 3), kernel=(5, 5), padding=((2, 2), (2, 2))),
]


class LayoutBench(Bench):
    """Feature map, unit and engine."""

    def __init__(self, dut):
        self.layout = parameters()["layout"]
        super().__init__(dut, WithLayouts(parameters()["config"], self.layout))
        self.layouts = StreamSource(dut, "layout_commands")

    async def write_features(self, picture, place):
        """A picture from a place on."""
        memory = self.layout.reader.memory
        words = picture.ravel()
        for first in range(0, len(words), memory.lanes):
            part = words[first : first + memory.lanes]
            row, lane = divmod(place + first, memory.lanes)
            data = np.pad(part % (1 << memory.width), (0, memory.lanes - len(part))).tolist()
            port = {"enable": (1 << len(part)) - 1, "row": row, "lane": lane, "data": data}
            self.ports.set(**{f"features__{name}": value for name, value in port.items()})
            await RisingEdge(self.dut.clk)
        self.ports.set(features__enable=0)
        await RisingEdge(self.dut.clk)

    async def lay_out(self, command, half):
        """Have the unit fill a half of the input buffer."""
        self.ports.set(half=half)
        self.layouts.put(command)
        for _ in range(LIMIT):
            await RisingEdge(self.dut.clk)
            if int(self.dut.layout_completions__valid.value):
                await RisingEdge(self.dut.clk)
                return
        raise AssertionError(f"No completion of a layout within {LIMIT} cycles")

    async def product(self, dataflow, lines, weights, *, half, input_row, stride, sum_row, accumulate):
        """A product of what is in the input buffer."""
        self.used["weight"] = [0, 0]
        weight_row = await self._write("weight", 0, weight_rows(self.config, dataflow, weights))
        command = {
            "dataflow": int(dataflow),
            "pixels": lines,
            "products": weights.shape[0],
            "channels": weights.shape[1],
            "input_half": half,
            "input_row": input_row,
            "input_stride": stride,
            "weight_half": 0,
            "weight_row": weight_row,
            "sum_row": sum_row,
            "accumulate": int(accumulate),
        }
        await self.run([command])

    def expect(self, dataflow, matrix, sum_row):
        """Expect a matrix (lines, channels) of sums in the accumulators."""
        columns = self.config.array.columns
        table = matrix.T if dataflow == Dataflow.INPUT_STATIONARY else matrix
        for block, left in enumerate(range(0, table.shape[1], columns)):
            words = table[:, left : left + columns]
            first = sum_row + block * len(table)
            self.sums[first : first + len(table), : words.shape[1]] = words


def _pitch(config, lines):
    return -(-lines // config.array.rows) * config.array.rows


async def _begin(dut):
    bench = LayoutBench(dut)
    await clock_and_reset(dut)
    await bench.write_sums(0)
    return bench


async def _pictures(bench):
    for shape in SHAPES:
        picture = bench.rng.integers(-128, 128, (*shape.picture, shape.input_channels))
        kernels = bench.rng.integers(-128, 128, (*shape.kernel, shape.input_channels, shape.output_channels))
        place = int(bench.rng.integers(0, 100))
        await bench.write_features(picture, place)
        for dataflow in Dataflow:
            yield shape, picture, kernels, place, dataflow


@cocotb.test()
async def im2col(dut):
    bench = await _begin(dut)
    async for shape, picture, kernels, place, dataflow in _pictures(bench):
        lines = shape.output[0] * shape.output[1]
        pitch = _pitch(bench.config, lines)
        await bench.lay_out(toeplitz_command(bench.layout, shape, place=place, base=0, pitch=pitch), 1)
        weights = kernels.reshape(-1, shape.output_channels)
        where = {"half": 1, "input_row": 0, "stride": pitch, "sum_row": 3, "accumulate": False}
        await bench.product(dataflow, lines, weights, **where)
        bench.expect(dataflow, direct(shape, picture, kernels).reshape(lines, -1), 3)
        await bench.check_sums(f"im2col, {dataflow.name}")


@cocotb.test()
async def kn2row(dut):
    bench = await _begin(dut)
    async for shape, picture, kernels, place, dataflow in _pictures(bench):
        lines = shape.output[0] * shape.output[1]
        pitch = _pitch(bench.config, lines)
        for number, element in enumerate(np.ndindex(*shape.kernel)):
            half = number % 2
            await bench.lay_out(unit_command(bench.layout, shape, element, place=place, base=0, pitch=pitch), half)
            where = {"half": half, "input_row": 0, "stride": pitch, "sum_row": 0, "accumulate": number > 0}
            await bench.product(dataflow, lines, kernels[element], **where)
        bench.expect(dataflow, direct(shape, picture, kernels).reshape(lines, -1), 0)
        await bench.check_sums(f"kn2row, {dataflow.name}")


@cocotb.test()
async def winograd(dut):
    bench = await _begin(dut)
    (transform,) = bench.layout.transforms
    reference = TRANSFORMS[transform]
    async for shape, picture, kernels, place, dataflow in _pictures(bench):
        if shape.stride != (1, 1):
            continue
        rows, columns = reference.tiles(shape)
        lines, size = rows * columns, reference.tile
        pitch = _pitch(bench.config, lines)
        blocks = -(-shape.input_channels // bench.config.array.rows)
        sums = np.zeros((size, size, lines, shape.output_channels), np.int64)
        step = sum_rows(bench.config, dataflow, lines, shape.output_channels)
        for number, turn in enumerate(rounds(reference, shape)):
            where = {"place": place, "base": 0, "pitch": pitch}
            await bench.lay_out(tile_command(bench.layout, shape, transform, turn, **where), 0)
            tiles = reference.transform_inputs(to_input_tiles(reference, shape, picture, turn))
            weights = reference.transform_kernels(sub_kernels(reference, kernels, turn))
            for index, (i, j) in enumerate(np.ndindex(size, size)):
                await bench.product(
                    dataflow,
                    lines,
                    weights[i, j],
                    half=0,
                    input_row=index * blocks * pitch,
                    stride=pitch,
                    sum_row=index * step,
                    accumulate=number > 0,
                )
                sums[i, j] += matrix_product(tiles[i, j], weights[i, j])
        for index, (i, j) in enumerate(np.ndindex(size, size)):
            bench.expect(dataflow, sums[i, j], index * step)
        await bench.check_sums(f"Winograd's algorithm, {dataflow.name}")
