"""A layout transformation unit before the GEMM engine: from a feature map to sums."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.convolution.layout_config import LayoutConfig
from rewardware.hw.cores.convolution.layout_transformation_unit import LayoutTransformationUnit, layout_command
from rewardware.hw.cores.convolution.window_reader_config import WindowReaderConfig
from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.memory.config import UnalignedConfig
from rewardware.hw.cores.memory.unaligned import UnalignedMemory, UnalignedWritePort

from .with_memories import WithMemories


def layout_config(config, transforms):
    """Configuration of the unit before an engine: the feature map has as many lanes as the array's longer side."""
    array = config.array
    reader = WindowReaderConfig(
        memory=UnalignedConfig(lanes=max(array.rows, array.columns), rows=128), lanes=array.rows
    )
    return LayoutConfig(reader=reader, buffer=config.input_memory, transforms=transforms)


class WithLayouts(wiring.Component):
    """An engine, its memories and the unit that fills its input buffer.

    Members
    -------
    layout_commands, layout_completions
        Ports of the unit.
    half : In(1)
        Half of the input buffer, which the unit writes.
    features
        Writes the feature map.
    commands, completions, busy, errors, weight_writes, sum_reads, sum_writes
        As of :class:`.WithMemories`.
    """

    def __init__(self, config, layout):
        self.engine, self.unit = WithMemories(config), LayoutTransformationUnit(layout)
        self.passes_streams_of = (self.engine.engine, self.unit)
        members = self.engine.signature.members
        self.own = [name for name in members if name != "input_writes"]
        super().__init__(
            {name: members[name] for name in self.own}
            | {
                "layout_commands": In(stream.Signature(layout_command(layout))),
                "layout_completions": Out(stream.Signature(1, always_ready=True)),
                "half": In(1),
                "features": In(UnalignedWritePort(layout.reader.memory)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.engine, m.submodules.unit = engine, unit = self.engine, self.unit
        m.submodules.features = features = UnalignedMemory(unit.config.reader.memory)
        for name in self.own:
            forward_port(m, engine, self, name)
        wiring.connect(m, unit.memory, features.read)
        wiring.connect(m, wiring.flipped(self.features), features.write)
        wiring.connect(m, wiring.flipped(self.layout_commands), unit.commands)
        wiring.connect(m, unit.completions, wiring.flipped(self.layout_completions))
        for half, port in enumerate(engine.input_writes):
            m.d.comb += [
                getattr(port, name).eq(getattr(unit.buffer, name))
                for name in ("row", "index", "column", "lane", "data")
            ]
            with m.If(self.half == half):
                m.d.comb += port.enable.eq(unit.buffer.enable)
        return m
