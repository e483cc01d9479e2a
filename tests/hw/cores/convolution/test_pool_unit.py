"""Pooling from feature map to feature map, against the references."""

import numpy as np
import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.convolution.pool_config import PoolConfig
from rewardware.hw.cores.convolution.pool_unit import PoolUnit, pool_command
from rewardware.hw.cores.convolution.shape import PoolingShape
from rewardware.hw.cores.convolution.store_commands import FeatureMap, pool_windows
from rewardware.hw.cores.convolution.word_writer import parameter_row
from rewardware.hw.cores.convolution.word_writer_config import WordWriterConfig
from rewardware.hw.cores.memory.config import MemoryConfig, UnalignedConfig
from rewardware.hw.cores.memory.memory import Memory
from rewardware.hw.cores.memory.ports import WritePort
from rewardware.hw.cores.memory.unaligned import UnalignedMemory, UnalignedWritePort
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.convolution.pooling import average_pool, max_pool


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
        wiring.connect(m, unit.memory, memory.read)
        wiring.connect(m, wiring.flipped(self.write), memory.write)
        wiring.connect(m, wiring.flipped(self.parameters), rows.write)
        wiring.connect(m, unit.parameters, rows.reads[0])
        m.d.comb += [unit.features_granted.eq(self.granted), self.busy.eq(unit.busy), self.saturated.eq(unit.saturated)]
        return m


SHAPES = [
    PoolingShape(channels=4, picture=(5, 4), kernel=(3, 3), padding=((1, 1), (1, 1))),
    PoolingShape(channels=7, picture=(6, 5), kernel=(3, 2), stride=(2, 2), ceil_mode=True),
    PoolingShape(channels=1, picture=(4, 4), kernel=(4, 4)),
]


@pytest.mark.parametrize(("lanes", "banks"), [(4, 5), (3, 3)])
def test_pool_unit(lanes, banks):
    writer = WordWriterConfig(
        lanes=lanes, sum_width=20, features=UnalignedConfig(lanes=banks, rows=128), parameter_rows=6
    )
    config = PoolConfig(writer=writer, window=16)
    rng = np.random.default_rng(lanes)
    pools = []
    for shape in SHAPES:
        for maximum in (True, False):
            picture = rng.integers(-128, 128, (*shape.picture, shape.channels))
            place, blocks = int(rng.integers(0, 60)), -(-shape.channels // lanes)
            multipliers = (
                np.ones(shape.channels, np.int64) if maximum else rng.integers(1 << 14, 1 << 16, shape.channels)
            )
            shift = 0 if maximum else 16
            if maximum:
                expected, saturated = max_pool(shape, picture), 0
            else:
                expected, saturated = average_pool(shape, picture, multiplier=multipliers, shift=shift)
            first = int(rng.integers(0, 3))
            features = FeatureMap(place=int(rng.integers(0, 40)), channels=first + shape.channels + 1, first=first)
            places = {}
            for (line, column, channel), word in np.ndenumerate(expected):
                pixel = line * shape.output[1] + column
                places[features.place + pixel * features.channels + first + channel] = int(word)
            where = {"place": place, "parameter_row": int(rng.integers(0, 3)), "shift": shift, "rectifies": 0}
            pools.append(
                {
                    "picture": picture.ravel(),
                    "command": pool_windows(config, shape, features, maximum=maximum, **where),
                    "places": places,
                    "saturated": saturated,
                    "cycles": shape.output[0] * shape.output[1] * shape.kernel[0] * shape.kernel[1] * blocks + 10,
                    "parameters": np.pad(multipliers, (0, blocks * lanes - shape.channels)).reshape(-1, lanes),
                    "where": where,
                }
            )
    assert any(pool["saturated"] for pool in pools)
    simulate(
        UnitOfMemories(config),
        bench="tests.hw.cores.convolution.bench_pool_unit",
        parameters={"pools": pools, "writer": writer},
    )


def test_what_does_not_fit():
    writer = WordWriterConfig(lanes=4, sum_width=12, features=UnalignedConfig(lanes=5, rows=8), parameter_rows=6)
    with pytest.raises(ValueError, match="at least the 14 bits of the sum of 64 pixels, not 12"):
        PoolConfig(writer=writer)
    config, words = PoolConfig(writer=writer, window=8), {"shift": 0, "rectifies": 0}
    with pytest.raises(ValueError, match="A window must have at most 8 pixels, not 9"):
        pool_windows(
            config, SHAPES[0], FeatureMap(place=0, channels=4), place=0, parameter_row=0, maximum=True, **words
        )
