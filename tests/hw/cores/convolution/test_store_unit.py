"""From sums to a feature map, against the references of requantisation and of Winograd's algorithm."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.convolution.gemm_config import GemmEngineConfig
from rewardware.hw.cores.convolution.row_accumulator import sum_write
from rewardware.hw.cores.convolution.shape import ConvolutionShape, OutputPart
from rewardware.hw.cores.convolution.store_commands import matrix_store, tile_store
from rewardware.hw.cores.convolution.store_config import StoreConfig
from rewardware.hw.cores.convolution.store_cycles import matrix_store_cycles, tile_store_cycles
from rewardware.hw.cores.convolution.store_unit import StoreUnit, store_command
from rewardware.hw.cores.convolution.systolic_array_config import SystolicArrayConfig
from rewardware.hw.cores.convolution.word_commands import FeatureMap
from rewardware.hw.cores.convolution.word_writer import parameter_row
from rewardware.hw.cores.memory.config import MemoryConfig, UnalignedConfig
from rewardware.hw.cores.memory.memory import Memory
from rewardware.hw.cores.memory.ports import WritePort
from rewardware.hw.cores.memory.unaligned import UnalignedWritePort
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.convolution.algorithms import direct, matrix_product
from rewardware.sw.reference.convolution.requantization import requantize
from rewardware.sw.reference.convolution.winograd import F23, F43, rounds, sub_kernels, to_input_tiles

TRANSFORMS = {(2, 3): F23, (4, 3): F43}


class UnitOfMemories(wiring.Component):
    """The unit at accumulators and parameters that the bench writes; what it writes are outputs."""

    def __init__(self, config):
        self.unit = StoreUnit(config)
        drains = config.gemm.array.drains
        super().__init__(
            {
                "commands": In(stream.Signature(store_command(config))),
                "completions": Out(stream.Signature(1, always_ready=True)),
                "busy": Out(1),
                "saturated": Out(config.lanes),
                "features": Out(UnalignedWritePort(config.features)),
                "granted": In(1),
                "sums": In(sum_write(config.gemm)).array(drains),
                "parameters": In(WritePort(parameter_row(config.writer), config.parameter_rows)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.unit.config
        m.submodules.unit = unit = self.unit
        wiring.connect(m, wiring.flipped(self.commands), unit.commands)
        wiring.connect(m, unit.completions, wiring.flipped(self.completions))
        wiring.connect(m, unit.features, wiring.flipped(self.features))
        m.d.comb += [unit.features_granted.eq(self.granted), self.busy.eq(unit.busy), self.saturated.eq(unit.saturated)]
        for bank, (write, read) in enumerate(zip(self.sums, unit.sum_reads, strict=True)):
            depth, lanes = config.gemm.bank_rows, config.lanes
            m.submodules[f"sums_{bank}"] = sums = Memory(read.signature.shape, MemoryConfig(depth=depth, lanes=lanes))
            wiring.connect(m, wiring.flipped(write), sums.write)
            wiring.connect(m, read, sums.reads[0])
        m.submodules.parameters = rows = Memory(parameter_row(config.writer), MemoryConfig(depth=config.parameter_rows))
        wiring.connect(m, wiring.flipped(self.parameters), rows.write)
        wiring.connect(m, unit.parameters, rows.reads[0])
        return m


SHAPES = [
    ConvolutionShape(input_channels=3, output_channels=4, picture=(5, 4), kernel=(3, 3), padding=((1, 1), (1, 1))),
    ConvolutionShape(input_channels=2, output_channels=7, picture=(4, 6), kernel=(3, 3)),
    ConvolutionShape(input_channels=1, output_channels=1, picture=(3, 3), kernel=(3, 3), padding=((1, 1), (1, 1))),
    ConvolutionShape(
        input_channels=2, output_channels=11, picture=(7, 5), kernel=(3, 2), stride=(2, 1), padding=((0, 1), (0, 0))
    ),
    # More tiles in a line than lanes.
    ConvolutionShape(input_channels=1, output_channels=5, picture=(4, 9), kernel=(3, 3), padding=((1, 1), (1, 1))),
]


def in_blocks(matrix, lanes):
    """Rows of sums of a matrix (lines, channels)."""
    blocks = -(-matrix.shape[1] // lanes)
    wide = np.pad(matrix, ((0, 0), (0, blocks * lanes - matrix.shape[1])))
    return wide.reshape(len(matrix), blocks, lanes).swapaxes(0, 1).reshape(-1, lanes)


def turned_parts(tiles, lanes):
    """Parts of the tiles' lines and columns, as large as a row of sums may be: whole lines, or parts of each line."""
    lines, columns = max(lanes // tiles[1], 1), min(lanes, tiles[1])
    for first in product(range(0, tiles[0], lines), range(0, tiles[1], columns)):
        size = min(lines, tiles[0] - first[0]), min(columns, tiles[1] - first[1])
        yield OutputPart(first=first, size=size)


def slices(part, pixels=1):
    """Slices of lines and columns, so many pixels each."""
    return tuple(
        slice(first * pixels, (first + size) * pixels) for first, size in zip(part.first, part.size, strict=True)
    )


def stores_of(config, shape, rng):
    """Rows of sums and parameters, commands, and what the commands write: elements by place, and how many saturated."""
    picture = rng.integers(-128, 128, (*shape.picture, shape.input_channels))
    kernels = rng.integers(-128, 128, (*shape.kernel, shape.input_channels, shape.output_channels))
    sums = direct(shape, picture, kernels)
    channels = shape.output_channels
    biases = rng.integers(-(1 << 15), 1 << 15, channels)
    multipliers = rng.integers(0, 1 << 16, channels)
    blocks = -(-channels // config.lanes)
    parameters = [np.pad(values, (0, blocks * config.lanes - channels)) for values in (biases, multipliers)]
    first = int(rng.integers(0, 3))
    features = FeatureMap(
        place=int(rng.integers(0, 50)), channels=first + channels + int(rng.integers(0, 3)), first=first
    )
    words = {"shift": int(rng.integers(22, 26)), "rectifies": int(rng.integers(2))}
    where = {"sum_row": int(rng.integers(0, 5)), "parameter_row": int(rng.integers(0, 3)), **words}
    places = features.place + first + np.arange(np.prod(shape.output)) * features.channels
    places = places.reshape(*shape.output, 1) + np.arange(channels)

    def written(*pixels):
        expected, saturated = requantize(
            sums[pixels],
            bias=biases,
            multiplier=multipliers,
            shift=words["shift"],
            rectified=bool(words["rectifies"]),
            accumulator_width=config.gemm.array.sum_width,
        )
        found = dict(zip(places[pixels].ravel().tolist(), expected.ravel().tolist(), strict=True))
        return {"places": found, "saturated": saturated}

    results = {"parameters": np.stack(parameters), "where": where, **written()}
    lines, columns = shape.output
    # All of it; whole lines; and a line without its first pixel, which begins inside of the output.
    parts = [
        OutputPart(first=(1, 0), size=(lines - 1, columns)),
        OutputPart(first=(lines - 1, 1), size=(1, columns - 1)),
    ]
    for turned, part in product((False, True), (None, *parts)):
        pixels = slices(OutputPart.of(shape.output, part))
        matrix = sums[pixels].reshape(-1, channels)
        rows = in_blocks(matrix.T if turned else matrix, config.lanes)
        command = matrix_store(config, shape, features, turned=turned, part=part, **where)
        cycles = matrix_store_cycles(config, shape, turned=turned, part=part)
        yield {"sums": rows, "command": command, "cycles": cycles, **results, **written(*pixels)}
    for transform in config.transforms if shape.stride == (1, 1) else ():
        reference = TRANSFORMS[transform]
        numbers = np.zeros((reference.tile, reference.tile, np.prod(reference.tiles(shape)), channels), np.int64)
        for turn in rounds(reference, shape):
            tiles = reference.transform_inputs(to_input_tiles(reference, shape, picture, turn))
            weights = reference.transform_kernels(sub_kernels(reference, kernels, turn))
            for place in np.ndindex(reference.tile, reference.tile):
                numbers[place] += matrix_product(tiles[place], weights[place])
        rows = np.concatenate(
            [in_blocks(numbers[place], config.lanes) for place in np.ndindex(reference.tile, reference.tile)]
        )
        command = tile_store(config, shape, transform, features, **where)
        cycles = tile_store_cycles(config, shape, transform)
        yield {"sums": rows, "command": command, "cycles": cycles, **results}
        tiles = reference.tiles(shape)
        for part in turned_parts(tiles, config.lanes) if config.turned_tiles else ():
            here = numbers.reshape(-1, *tiles, channels)[(slice(None), *slices(part))]
            rows = np.concatenate([in_blocks(number.reshape(-1, channels).T, config.lanes) for number in here])
            command = tile_store(config, shape, transform, features, turned=True, part=part, **where)
            cycles = tile_store_cycles(config, shape, transform, turned=True, part=part)
            pixels = slices(part, transform[0])
            yield {"sums": rows, "command": command, "cycles": cycles, **results, **written(*pixels)}


@pytest.mark.parametrize(
    ("lanes", "drains", "transforms", "sum_width", "turned_tiles"),
    [
        (4, 1, ((2, 3),), 38, False),
        (7, 1, ((4, 3),), 38, True),
        (3, 2, ((2, 3), (4, 3)), 47, True),
        (5, 1, (), 32, False),
    ],
)
def test_store_unit(lanes, drains, transforms, sum_width, turned_tiles):
    array = SystolicArrayConfig(rows=5, columns=lanes, drains=drains, sum_width=sum_width)
    gemm = GemmEngineConfig(array=array, input_rows=30, weight_rows=30, sum_rows=360)
    config = StoreConfig(
        gemm=gemm,
        features=UnalignedConfig(lanes=7, rows=64),
        parameter_rows=8,
        transforms=transforms,
        turned_tiles=turned_tiles,
    )
    rng = np.random.default_rng(lanes)
    stores = [store for shape in SHAPES for store in stores_of(config, shape, rng)]
    assert any(store["saturated"] for store in stores)
    simulate(
        UnitOfMemories(config),
        bench="tests.hw.cores.convolution.bench_store_unit",
        parameters={"stores": stores, "config": config},
        after_noise=True,
    )


def test_what_does_not_fit():
    array = SystolicArrayConfig(rows=3, columns=4)
    gemm = GemmEngineConfig(array=array, input_rows=30, weight_rows=30, sum_rows=30)
    config = StoreConfig(gemm=gemm, features=UnalignedConfig(lanes=4, rows=16), parameter_rows=2)
    shape, words = SHAPES[0], {"shift": 0, "rectifies": 0}
    rows, here = {"sum_row": 0, "parameter_row": 0}, FeatureMap(place=0, channels=4)
    for call, message in (
        (lambda: matrix_store(config, shape, here, **words, **rows), "64 of the memory, not from 0 on"),
        (lambda: matrix_store(config, shape, here, **words, **rows | {"sum_row": 20}), "below 30, not from 20 to 39"),
        (lambda: matrix_store(config, shape, here, **words, **rows | {"parameter_row": 2}), "below 2, not from 2 to 2"),
        (lambda: tile_store(config, shape, (4, 3), here, **words, **rows), r"must be one of the unit's, \(\(2, 3\),\)"),
        (lambda: tile_store(config, shape, (2, 3), here, turned=True, **words, **rows), "the unit does not turn them"),
        (
            lambda: tile_store(replace(config, turned_tiles=True), shape, (2, 3), here, turned=True, **words, **rows),
            "A part must have at most 4 tiles, as the array has columns, not 6",
        ),
        (lambda: tile_store_cycles(config, shape, (4, 3)), r"must be one of the unit's, \(\(2, 3\),\)"),
        (lambda: FeatureMap(place=0, channels=4, first=4), "First must be from 0 to 3, not 4"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="Turned tiles must be .*, not 1"):
        replace(config, turned_tiles=1)
    with pytest.raises(ValueError, match="Gemm must have an array of integers, not of binary16"):
        replace(config, gemm=replace(gemm, array=replace(array, format="binary16", sum_width=16)))
    with pytest.raises(ValueError, match="Planes must be from 1 to 64, not 65"):
        replace(config.writer, planes=65)
    with pytest.raises(ValueError, match="Channels 1 to 4 must be among the 4 of the map"):
        matrix_store(config, shape, FeatureMap(place=0, channels=4, first=1), **words, **rows)
