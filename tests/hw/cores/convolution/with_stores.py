"""A store unit behind the GEMM engine: from a feature map to a feature map."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.convolution.store_config import StoreConfig
from rewardware.hw.cores.convolution.store_unit import StoreUnit, store_command
from rewardware.hw.cores.convolution.word_writer import parameter_row
from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.memory.config import MemoryConfig
from rewardware.hw.cores.memory.memory import Memory
from rewardware.hw.cores.memory.ports import WritePort
from rewardware.hw.cores.memory.unaligned import UnalignedWritePort

from .with_layouts import WithLayouts


def store_config(config, layout):
    """Configuration of the unit behind an engine, which writes the feature map that the unit before it reads."""
    return StoreConfig(
        gemm=config,
        features=layout.reader.memory,
        parameter_rows=8,
        transforms=layout.transforms,
        turned_tiles=True,
    )


class WithStores(wiring.Component):
    """An engine, the units before and behind it, and all their memories.

    Members
    -------
    store_commands, store_completions
        Ports of the unit behind the engine.
    parameters
        Writes biases and multipliers.
    stored
        What the unit writes to the feature map.
    features
        Writes the feature map in cycles in which the unit does not.
    layout_commands, layout_completions, half, commands, completions, busy, errors, weight_writes, sum_writes
        As of :class:`.WithLayouts`.
    """

    def __init__(self, config, layout):
        self.engine, self.unit = WithLayouts(config, layout), StoreUnit(store_config(config, layout))
        self.passes_streams_of = (*self.engine.passes_streams_of, self.unit)
        members, store = self.engine.signature.members, self.unit.config
        self.own = [name for name in members if name not in ("sum_reads", "features")]
        super().__init__(
            {name: members[name] for name in self.own}
            | {
                "store_commands": In(stream.Signature(store_command(store))),
                "store_completions": Out(stream.Signature(1, always_ready=True)),
                "parameters": In(WritePort(parameter_row(store.writer), store.parameter_rows)),
                "stored": Out(UnalignedWritePort(store.features)),
                "features": In(UnalignedWritePort(store.features)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.engine, m.submodules.unit = engine, unit = self.engine, self.unit
        depth = unit.config.parameter_rows
        m.submodules.rows = rows = Memory(parameter_row(unit.config.writer), MemoryConfig(depth=depth))
        for name in self.own:
            forward_port(m, engine, self, name)
        for inside, outside in zip(engine.sum_reads, unit.sum_reads, strict=True):
            wiring.connect(m, outside, inside)
        wiring.connect(m, wiring.flipped(self.parameters), rows.write)
        wiring.connect(m, unit.parameters, rows.reads[0])
        wiring.connect(m, wiring.flipped(self.store_commands), unit.commands)
        wiring.connect(m, unit.completions, wiring.flipped(self.store_completions))
        wiring.connect(m, unit.features, wiring.flipped(self.stored))
        for name in ("enable", "row", "lane", "data"):
            target = getattr(engine.features, name)
            m.d.comb += target.eq(getattr(self.features, name))
            with m.If(unit.features.enable.any()):
                m.d.comb += target.eq(getattr(unit.features, name))
        return m
