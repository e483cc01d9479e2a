"""Both movers before one memory, with AXI4 as flat ports: what the benches drive."""

from amaranth.hdl import Module
from amaranth.lib import wiring

from rewardware.hw.soc.bus.axi_reader import AxiReader
from rewardware.hw.soc.bus.axi_writer import AxiWriter
from rewardware.hw.soc.bus.flat_ports import axi4_master


class MoverTop(wiring.Component):
    """Ports of the movers, the reader's with ``read_`` before their names and the writer's with ``write_``."""

    def __init__(self, config):
        self.config = config
        self.movers = {"read": AxiReader(config), "write": AxiWriter(config)}
        self.memory = axi4_master(
            "m_axi",
            address_width=config.address_width,
            data_width=config.data_width,
            clock="clk",
            reset="rst",
            description="The memory.",
        )
        members = self.memory.members
        for prefix, mover in self.movers.items():
            members |= {f"{prefix}_{name}": port for name, port in mover.signature.members.items() if name != "bus"}
        super().__init__(members)
        # The streams are watched in the movers.
        self.passes_streams_of = tuple(self.movers.values())

    def elaborate(self, platform):
        m = Module()
        for prefix, mover in self.movers.items():
            m.submodules[prefix] = mover
            for name, member in mover.signature.members.items():
                if name == "bus":
                    continue
                inner, outer = getattr(mover, name), getattr(self, f"{prefix}_{name}")
                if member.is_signature:
                    wiring.connect(m, wiring.flipped(outer), inner)
                else:
                    m.d.comb += inner.eq(outer)
        self.memory.connect_read(m, self, self.movers["read"].bus)
        self.memory.connect_write(m, self, self.movers["write"].bus)
        return m
