"""A matrix core with memories for the lists and tables, which another engine holds in a system."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from rewardware.hw.cores.component import ConfiguredComponent
from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.memory.config import MemoryConfig
from rewardware.hw.cores.memory.memory import Memory
from rewardware.hw.cores.memory.ports import WritePort
from rewardware.hw.cores.vector.matrix_core import MatrixCore

LISTS = ("tables", "row_list", "column_list")


class CoreWithLists(ConfiguredComponent):
    """The ports of a core, where ``write_tables``, ``write_row_list`` and ``write_column_list`` fill what it reads."""

    def __init__(self, config):
        self._core = MatrixCore(config)
        members = dict(self._core.signature.members)
        for name in LISTS:
            port = members.pop(f"read_{name}").signature
            members[f"write_{name}"] = In(WritePort(port.shape, port.depth))
        super().__init__(config, members)

    @property
    def latency(self):
        return self._core.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self._core
        for name in self.signature.members:
            if name not in {f"write_{part}" for part in LISTS}:
                forward_port(m, core, self, name)
        for name in LISTS:
            write, read = getattr(self, f"write_{name}"), getattr(core, f"read_{name}")
            m.submodules[name] = memory = Memory(write.signature.shape, MemoryConfig(depth=write.signature.depth))
            wiring.connect(m, wiring.flipped(write), memory.write)
            wiring.connect(m, read, memory.reads[0])
        return m
