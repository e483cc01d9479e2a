"""Pooling from feature map to feature map, against the references."""

import numpy as np
import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.convolution.pool_commands import (
    average_cycles,
    average_windows,
    distinct_multipliers,
    equal_parts,
    pool_cycles,
    pool_windows,
)
from rewardware.hw.cores.convolution.pool_config import PoolConfig
from rewardware.hw.cores.convolution.pool_unit import PoolUnit, pool_command
from rewardware.hw.cores.convolution.shape import OutputPart, PoolingShape
from rewardware.hw.cores.convolution.word_commands import FeatureMap
from rewardware.hw.cores.convolution.word_writer import parameter_row
from rewardware.hw.cores.convolution.word_writer_config import WordWriterConfig
from rewardware.hw.cores.memory.config import MemoryConfig, UnalignedConfig
from rewardware.hw.cores.memory.memory import Memory
from rewardware.hw.cores.memory.ports import WritePort
from rewardware.hw.cores.memory.unaligned import UnalignedMemory, UnalignedWritePort
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.convolution.pooling import average_multipliers, average_pool, max_pool

from .test_window_reader import connect_granted


class UnitOfMemories(wiring.Component):
    """The unit at a feature map and parameters that the bench writes; what it writes are outputs."""

    def __init__(self, config):
        self.unit, writer = PoolUnit(config), config.writer
        super().__init__(
            {
                "commands": In(stream.Signature(pool_command(config))),
                "completions": Out(stream.Signature(1, always_ready=True)),
                "busy": Out(1),
                "saturated": Out(writer.lanes),
                "features": Out(UnalignedWritePort(writer.features)),
                "granted": In(1),
                "read_granted": In(1),
                "write": In(UnalignedWritePort(writer.features)),
                "parameters": In(WritePort(parameter_row(writer), writer.parameter_rows)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        writer = self.unit.config.writer
        m.submodules.unit, m.submodules.memory = unit, memory = self.unit, UnalignedMemory(writer.features)
        m.submodules.parameters = rows = Memory(parameter_row(writer), MemoryConfig(depth=writer.parameter_rows))
        wiring.connect(m, wiring.flipped(self.commands), unit.commands)
        wiring.connect(m, unit.completions, wiring.flipped(self.completions))
        wiring.connect(m, unit.features, wiring.flipped(self.features))
        connect_granted(m, unit, memory, self.read_granted)
        wiring.connect(m, wiring.flipped(self.write), memory.write)
        wiring.connect(m, wiring.flipped(self.parameters), rows.write)
        wiring.connect(m, unit.parameters, rows.reads[0])
        m.d.comb += [unit.features_granted.eq(self.granted), self.busy.eq(unit.busy), self.saturated.eq(unit.saturated)]
        return m


AROUND = ((1, 1), (1, 1))
SHAPES = [
    PoolingShape(channels=4, picture=(5, 4), kernel=(3, 3), padding=AROUND),
    PoolingShape(channels=7, picture=(6, 5), kernel=(3, 2), stride=(2, 2), ceil_mode=True),
    PoolingShape(channels=1, picture=(4, 4), kernel=(4, 4)),
    # Windows overlap along one axis, or do not meet.
    PoolingShape(channels=5, picture=(6, 7), kernel=(2, 3), stride=(2, 1), padding=((0, 1), (2, 0))),
    PoolingShape(channels=9, picture=(7, 7), kernel=(3, 3), stride=(2, 2), padding=((1, 0), (0, 1))),
    PoolingShape(channels=3, picture=(5, 5), kernel=(1, 1), stride=(4, 2)),
    PoolingShape(channels=2, picture=(3, 9), kernel=(2, 2), stride=(1, 2), ceil_mode=True),
    # A column, and a line whose kernel's other lines are outside.
    PoolingShape(channels=2, picture=(5, 1), kernel=(3, 1)),
    PoolingShape(channels=6, picture=(1, 5), kernel=(3, 3), padding=AROUND),
    PoolingShape(channels=2, picture=(3, 4), kernel=(3, 3), stride=(2, 2), padding=((2, 0), (1, 1))),
    # A column's kernel is larger, and the line longer than one of the configurations has room for.
    PoolingShape(channels=3, picture=(6, 4), kernel=(4, 2)),
    PoolingShape(channels=2, picture=(4, 10), kernel=(2, 2)),
    # Windows that overlap along a line alone, with the longest step down that there is.
    PoolingShape(channels=2, picture=(8, 5), kernel=(4, 2), stride=(4, 1)),
]
CONFIGS = [
    {"lanes": 4, "banks": 5, "sliding": (3, 3), "length": 11},
    {"lanes": 3, "banks": 3, "sliding": (4, 2), "length": 9},
]


def pool_config(lanes=4, banks=5, **options):
    writer = WordWriterConfig(
        lanes=lanes, sum_width=20, features=UnalignedConfig(lanes=banks, rows=256), parameter_rows=6
    )
    return PoolConfig(writer=writer, window=16, **options)


def kinds(shape, rng):
    """Results of the shape's windows: the largest, sums times a multiplier, averages without the padding."""
    yield "maximum", np.ones((*shape.output, 1), np.int64), 0
    # Some of these sums saturate.
    yield "sum", np.full((*shape.output, 1), rng.integers(1 << 14, 1 << 16)), 16
    yield "average", *average_multipliers(shape, include_padding=False)


@pytest.mark.parametrize("options", CONFIGS)
def test_pool_unit(options):
    config = pool_config(**options)
    lanes = config.writer.lanes
    rng = np.random.default_rng(lanes)
    pools = []
    for shape in SHAPES:
        for kind, multipliers, shift in kinds(shape, rng):
            picture = rng.integers(-128, 128, (*shape.picture, shape.channels))
            if kind == "maximum":
                expected, saturated = max_pool(shape, picture), 0
            else:
                expected, saturated = average_pool(shape, picture, multiplier=multipliers, shift=shift)
            first = int(rng.integers(0, 3))
            features = FeatureMap(place=int(rng.integers(0, 40)), channels=first + shape.channels + 1, first=first)
            places = {}
            for (line, column, channel), word in np.ndenumerate(expected):
                pixel = line * shape.output[1] + column
                places[features.place + pixel * features.channels + first + channel] = int(word)
            where = {"place": int(rng.integers(0, 10)), "parameter_row": int(rng.integers(0, 3))}
            words = {**where, "shift": shift, "rectifies": 0}
            if kind == "average":
                commands = average_windows(config, shape, features, multipliers=multipliers, **words)
                cycles = average_cycles(config, shape, multipliers)
            else:
                commands = [pool_windows(config, shape, features, maximum=kind == "maximum", **words)]
                cycles = pool_cycles(config, shape)
            pools.append(
                {
                    "picture": picture.ravel(),
                    "commands": commands,
                    "places": places,
                    "saturated": saturated,
                    "cycles": cycles,
                    "parameters": [[word] * lanes for word in distinct_multipliers(multipliers)],
                    "where": where,
                }
            )
    assert any(pool["saturated"] for pool in pools)
    assert {command["slides"] for pool in pools for command in pool["commands"]} == {0, 1}
    simulate(
        UnitOfMemories(config),
        bench="tests.hw.cores.convolution.bench_pool_unit",
        parameters={"pools": pools, "writer": config.writer},
        after_noise=True,
    )


@pytest.mark.parametrize(
    ("shape", "vectors"),
    [
        # Two runs of channels; lines and columns with the padding.
        (PoolingShape(channels=5, picture=(28, 28), kernel=(3, 3), padding=AROUND), 2 * 30 * 30),
        (PoolingShape(channels=4, picture=(112, 112), kernel=(3, 3), stride=(2, 2), ceil_mode=True), 113 * 113),
        # Windows that do not overlap, and those for which the unit has no registers, pixel by pixel.
        (PoolingShape(channels=4, picture=(8, 8), kernel=(2, 2), stride=(2, 2)), 64),
        (PoolingShape(channels=4, picture=(9, 9), kernel=(2, 2), stride=(3, 3)), 9 * 4),
        (PoolingShape(channels=4, picture=(4, 4), kernel=(4, 4)), 16),
        (PoolingShape(channels=4, picture=(5, 5), kernel=(4, 4)), 4 * 16),
        (PoolingShape(channels=4, picture=(2, 300), kernel=(2, 2)), 299 * 4),
    ],
)
def test_cycles(shape, vectors):
    assert pool_cycles(pool_config(), shape) == vectors + 14


def test_parts_of_equal_divisors():
    shape = PoolingShape(channels=4, picture=(5, 6), kernel=(3, 3), padding=AROUND)
    multipliers, _ = average_multipliers(shape, include_padding=False)
    parts = list(equal_parts(multipliers))
    covered = np.zeros(shape.output, np.int64)
    for place, word in parts:
        part = tuple(slice(first, first + size) for first, size in zip(place.first, place.size, strict=True))
        assert (multipliers[part] == word).all()
        covered[part] += 1
    assert (covered == 1).all()
    assert len(parts) == 9
    assert distinct_multipliers(multipliers) == sorted(set(multipliers.ravel()))
    # Lines and columns of the kernel that are outside are not read.
    corners, sides, middle = 4 * (2 * 2), 2 * (2 * 6) + 2 * (5 * 2), 5 * 6
    assert average_cycles(pool_config(), shape, multipliers) == corners + sides + middle + 9 * 15 - 1
    multipliers, _ = average_multipliers(shape, include_padding=True)
    assert list(equal_parts(multipliers)) == [(OutputPart(first=(0, 0), size=(5, 6)), multipliers[0, 0, 0])]
    assert average_cycles(pool_config(), shape, multipliers) == pool_cycles(pool_config(), shape)


def test_what_does_not_fit():
    writer = WordWriterConfig(lanes=4, sum_width=12, features=UnalignedConfig(lanes=5, rows=8), parameter_rows=6)
    with pytest.raises(ValueError, match="at least the 14 bits of the sum of 64 pixels, not 12"):
        PoolConfig(writer=writer)
    with pytest.raises(ValueError, match="Window must be from 9 to 65536, not 8"):
        PoolConfig(writer=writer, window=8)
    with pytest.raises(TypeError, match="Sliding must be a pair of integers, not 3"):
        PoolConfig(writer=writer, sliding=3)
    config, features = PoolConfig(writer=writer, window=8, sliding=(2, 2)), FeatureMap(place=0, channels=4)
    where = {"place": 0, "parameter_row": 0, "shift": 0, "rectifies": 0}
    with pytest.raises(ValueError, match="A window must have at most 8 pixels, not 9"):
        pool_windows(config, SHAPES[0], features, maximum=True, **where)
    with pytest.raises(ValueError, match=r"Multipliers must be 5 lines of 4, one for each window, not \[\[\[7\]\]\]"):
        average_windows(config, SHAPES[0], features, multipliers=[[[7]]], **where)
