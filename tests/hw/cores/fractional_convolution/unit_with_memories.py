"""The unit with its memories, which a bench fills."""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.fractional_convolution.unit import FractionalConvolutionUnit
from rewardware.hw.cores.memory.config import MemoryConfig
from rewardware.hw.cores.memory.memory import Memory
from rewardware.hw.cores.memory.ports import WritePort
from rewardware.hw.cores.memory.unaligned import UnalignedMemory, UnalignedWritePort

OUTER = ("commands", "completions", "busy", "saturated", "errors")
PORTS = {"weights": "read_weights", "parameters": "parameters"}


class UnitWithMemories(wiring.Component):
    """The unit, the feature memory, the weights and the parameters.

    Where the unit is not granted, the feature memory reads another place and takes nothing.

    Members
    -------
    Ports of the unit but for those of memories; ``memory_grant``, ``features_grant``; ``load_weights``,
    ``load_parameters``, ``load_features`` (write ports, the last one before the unit); ``stored``, all that is written
    to the feature memory.
    """

    def __init__(self, config):
        self.unit = FractionalConvolutionUnit(config)
        members = self.unit.signature.members
        reads = {name: members[port].signature for name, port in PORTS.items()}
        features = UnalignedWritePort(config.writer.features)
        super().__init__(
            {name: members[name] for name in OUTER}
            | {f"load_{name}": In(WritePort(port.shape, port.depth)) for name, port in reads.items()}
            | {"load_features": In(features), "stored": Out(features), "memory_grant": In(1), "features_grant": In(1)}
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.unit = unit = self.unit
        m.submodules.features = features = UnalignedMemory(unit.config.writer.features)
        for name in OUTER:
            forward_port(m, unit, self, name)
        for name, port in PORTS.items():
            read = getattr(unit, port)
            m.submodules[name] = memory = Memory(read.signature.shape, MemoryConfig(depth=read.signature.depth))
            wiring.connect(m, read, memory.reads[0])
            wiring.connect(m, wiring.flipped(getattr(self, f"load_{name}")), memory.write)
        loads = self.load_features.enable.any()
        m.d.comb += [
            unit.memory_granted.eq(self.memory_grant),
            features.read.enable.eq(unit.memory.enable | ~self.memory_grant),
            features.read.row.eq(Mux(self.memory_grant, unit.memory.row, 0)),
            features.read.lane.eq(Mux(self.memory_grant, unit.memory.lane, 0)),
            unit.memory.data.eq(features.read.data),
            unit.features_granted.eq(self.features_grant & ~loads),
            self.stored.enable.eq(
                Mux(loads, self.load_features.enable, Mux(self.features_grant, unit.features.enable, 0))
            ),
        ]
        for name in ("row", "lane", "data"):
            used, others = getattr(unit.features, name), getattr(self.load_features, name)
            m.d.comb += getattr(self.stored, name).eq(Mux(loads, others, used))
        for name in ("enable", "row", "lane", "data"):
            m.d.comb += getattr(features.write, name).eq(getattr(self.stored, name))
        return m
