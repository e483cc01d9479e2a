"""Rows of the input buffer in all layouts, against the references of the algorithms."""

import dataclasses

import numpy as np
import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.convolution.layout_commands import tile_command, toeplitz_command, unit_command
from rewardware.hw.cores.convolution.layout_config import LayoutConfig
from rewardware.hw.cores.convolution.layout_cycles import tile_cycles, toeplitz_cycles, unit_cycles
from rewardware.hw.cores.convolution.layout_transformation_unit import LayoutTransformationUnit, layout_command
from rewardware.hw.cores.convolution.shape import ConvolutionShape
from rewardware.hw.cores.convolution.window_reader_config import WindowReaderConfig
from rewardware.hw.cores.memory.config import TransposableConfig, UnalignedConfig
from rewardware.hw.cores.memory.transposable import TransposableWritePort
from rewardware.hw.cores.memory.unaligned import UnalignedMemory, UnalignedWritePort
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.convolution.operands import cut
from rewardware.sw.reference.convolution.toeplitz import to_toeplitz
from rewardware.sw.reference.convolution.winograd import F23, F43, to_input_tiles

TRANSFORMS = {(2, 3): F23, (4, 3): F43}
BANKS, ROWS = 7, 64


class UnitOfMemory(wiring.Component):
    """The unit at a memory that the bench writes."""

    def __init__(self, config):
        self.parts = LayoutTransformationUnit(config), UnalignedMemory(config.reader.memory)
        super().__init__(
            {
                "commands": In(stream.Signature(layout_command(config))),
                "completions": Out(stream.Signature(1, always_ready=True)),
                "busy": Out(1),
                "buffer": Out(TransposableWritePort(config.buffer)),
                "write": In(UnalignedWritePort(config.reader.memory)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.unit, m.submodules.memory = unit, memory = self.parts
        wiring.connect(m, unit.memory, memory.read)
        wiring.connect(m, wiring.flipped(self.commands), unit.commands)
        wiring.connect(m, unit.completions, wiring.flipped(self.completions))
        wiring.connect(m, unit.buffer, wiring.flipped(self.buffer))
        wiring.connect(m, wiring.flipped(self.write), memory.write)
        m.d.comb += self.busy.eq(unit.busy)
        return m


SHAPES = [
    ConvolutionShape(input_channels=3, output_channels=1, picture=(5, 4), kernel=(3, 3), padding=((1, 1), (1, 1))),
    ConvolutionShape(input_channels=7, output_channels=1, picture=(3, 5), kernel=(1, 4), padding=((0, 0), (2, 1))),
    ConvolutionShape(input_channels=1, output_channels=1, picture=(6, 6), kernel=(2, 3), stride=(2, 3)),
    ConvolutionShape(input_channels=5, output_channels=1, picture=(2, 2), kernel=(5, 5), padding=((2, 2), (2, 2))),
    ConvolutionShape(
        input_channels=11, output_channels=1, picture=(5, 4), kernel=(3, 2), stride=(2, 1), padding=((0, 1), (1, 0))
    ),
]


def in_blocks(matrix, lanes, base, pitch):
    """Rows of the buffer of a matrix (lines, numbers)."""
    blocks = -(-matrix.shape[1] // lanes)
    wide = np.pad(matrix, ((0, 0), (0, blocks * lanes - matrix.shape[1])))
    for line, block in np.ndindex(len(matrix), blocks):
        yield base + block * pitch + line, wide[line, block * lanes : (block + 1) * lanes].tolist()


def commands_of(config, shape, picture, place, rng):
    """Each layout's commands, the rows that they write, and the cycles from command to completion."""
    lanes, pixels = config.buffer.lanes, shape.output[0] * shape.output[1]
    given = {"place": place, "base": int(rng.integers(0, 30)), "pitch": pixels + int(rng.integers(0, 4))}
    where = given["base"], given["pitch"]
    rows = in_blocks(to_toeplitz(shape, picture), lanes, *where)
    yield toeplitz_command(config, shape, **given), rows, toeplitz_cycles(config, shape)
    for element in np.ndindex(*shape.kernel):
        origin = [number - before for number, (before, _) in zip(element, shape.padding, strict=True)]
        size = [(output - 1) * stride + 1 for output, stride in zip(shape.output, shape.stride, strict=True)]
        below = cut(picture, origin, size)[:: shape.stride[0], :: shape.stride[1]]
        rows = in_blocks(below.reshape(pixels, -1), lanes, *where)
        yield unit_command(config, shape, element, **given), rows, unit_cycles(config, shape)
    if shape.stride != (1, 1):
        return
    for transform, reference in TRANSFORMS.items():
        if transform not in config.transforms:
            continue
        for turn in np.ndindex(*(-(-kernel // 3) for kernel in shape.kernel)):
            made = reference.transform_inputs(to_input_tiles(reference, shape, picture, turn))
            size, tiles = made.shape[1], made.shape[2]
            blocks = -(-shape.input_channels // lanes)
            rows = []
            for i, j in np.ndindex(size, size):
                rows += in_blocks(made[i, j], lanes, where[0] + (i * size + j) * blocks * tiles, tiles)
            command = tile_command(config, shape, transform, turn, **given | {"pitch": tiles})
            yield command, rows, tile_cycles(config, shape, transform)


@pytest.mark.parametrize(
    ("lanes", "transforms", "width"), [(5, ((2, 3), (4, 3)), 15), (3, ((2, 3),), 10), (4, (), 8), (7, ((4, 3),), 15)]
)
def test_layouts(lanes, transforms, width):
    rng = np.random.default_rng(lanes)
    config = LayoutConfig(
        reader=WindowReaderConfig(memory=UnalignedConfig(lanes=BANKS, rows=ROWS), lanes=lanes),
        buffer=TransposableConfig(lanes=lanes, rows=lanes * 256, width=width),
        transforms=transforms,
    )
    content = rng.integers(-128, 128, BANKS * ROWS)
    content[rng.random(len(content)) < 0.3] = -128
    commands, results, cycles = [], [], []
    for shape in SHAPES:
        size = shape.picture[0] * shape.picture[1] * shape.input_channels
        place = int(rng.integers(0, len(content) - size + 1))
        picture = content[place : place + size].reshape(*shape.picture, -1)
        for command, rows, taken in commands_of(config, shape, picture, place, rng):
            commands.append(command)
            results.append(dict(rows))
            cycles.append(taken)
    simulate(
        UnitOfMemory(config),
        bench="tests.hw.cores.convolution.bench_layout",
        parameters={
            "content": content % 256,
            "banks": BANKS,
            "lanes": lanes,
            "width": width,
            "commands": commands,
            "rows": results,
            "cycles": cycles,
        },
    )


def test_what_does_not_fit():
    reader = WindowReaderConfig(memory=UnalignedConfig(lanes=4, rows=16))
    buffer = TransposableConfig(lanes=4, rows=16, width=10)
    config = LayoutConfig(reader=reader, buffer=buffer)
    shape = ConvolutionShape(input_channels=2, output_channels=1, picture=(4, 5), kernel=(3, 3))
    given = {"place": 0, "base": 0, "pitch": 6}
    for call, message in (
        (lambda: toeplitz_command(config, shape, **given), "Rows must be in the buffer's 16, not from 0 to 29"),
        (lambda: toeplitz_command(config, shape, **given | {"pitch": 5}), "Pitch must be at least the 6 lines"),
        (lambda: tile_command(config, shape, (4, 3), **given), r"Transform must be one of the unit's, \(\(2, 3\),\)"),
        (lambda: tile_cycles(config, shape, (4, 3)), r"Transform must be one of the unit's, \(\(2, 3\),\)"),
        (lambda: LayoutConfig(reader=reader, buffer=TransposableConfig(lanes=4, rows=4, width=9)), "at least the 10"),
        (lambda: LayoutConfig(reader=reader, buffer=TransposableConfig(lanes=5, rows=5, width=10)), "must be the 4 of"),
        (lambda: LayoutConfig(reader=reader, buffer=buffer, transforms=((2, 3), (2, 3))), "must be different ones"),
        (
            lambda: LayoutConfig(reader=dataclasses.replace(reader, levels=4), buffer=buffer),
            "Levels of the reader must be from 5 to 8, not 4",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    strided = ConvolutionShape(input_channels=2, output_channels=1, picture=(4, 5), kernel=(3, 3), stride=(1, 2))
    with pytest.raises(ValueError, match=r"Stride must be \(1, 1\) for Winograd, not \(1, 2\)"):
        tile_command(config, strided, (2, 3), **given)
