"""Memories behind a host's map, each with another user that goes first."""

from amaranth.hdl import Module, Mux, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from rewardware.hw.cores.component import ConfiguredComponent
from rewardware.hw.cores.memory.config import MemoryConfig
from rewardware.hw.cores.memory.host_map import HostMap
from rewardware.hw.cores.memory.host_map_config import HostMapConfig, HostRegion
from rewardware.hw.cores.memory.memory import Memory
from rewardware.hw.cores.pipeline import delay

# Banks and rows that are no powers of two, copies, parts of a row, a slow memory.
REGIONS = (
    HostRegion(name="weights", number=0, width=20, depth=5, banks=3),
    HostRegion(name="states", number=2, width=7, depth=6, parts=4, cores=3),
    HostRegion(name="moments", number=3, width=33, depth=9, latency=2),
    HostRegion(name="results", number=5, width=7, depth=3, parts=2, banks=2, cores=2),
)
# The only region with parts is written and not read.
WRITTEN = (
    HostRegion(name="words", number=1, width=12, depth=4),
    HostRegion(name="codes", number=2, width=12, depth=4, parts=2, cores=2, latency=3, readable=False),
    HostRegion(name="pairs", number=3, width=9, depth=5, cores=2, latency=2),
)
CONFIGS = {
    "direct": HostMapConfig(regions=REGIONS, core_width=3),
    "registered": HostMapConfig(regions=REGIONS, core_width=2, registered=True),
    "written": HostMapConfig(regions=WRITTEN, core_width=2),
    "single": HostMapConfig(regions=(HostRegion(name="words", number=1, width=12, depth=4),)),
}


def connect_memory(m, name, port, busy):
    """A memory at a host's port; while ``busy`` another user reads its last row, and nothing is granted."""
    write = port.signature.members["write"].signature
    reads = "read" in port.signature.members
    latency = port.signature.members["read"].signature.latency if reads else 1
    m.submodules[name] = rows = Memory(
        unsigned(write.shape.width), MemoryConfig(depth=write.depth, lanes=write.lanes, latency=min(latency, 2))
    )
    m.d.comb += [
        rows.reads[0].enable.eq(busy),
        rows.reads[0].address.eq(write.depth - 1),
        rows.write.enable.eq(Mux(busy, 0, port.write.enable)),
        rows.write.address.eq(port.write.address),
        rows.write.data.eq(port.write.data),
        port.write_granted.eq(~busy),
    ]
    if reads:
        # Registers behind the memory make up a latency that is longer than a memory's.
        stored = delay(m, rows.reads[0].data, max(latency - 2, 0), f"{name}_stored")
        m.d.comb += [port.read.data.eq(stored), port.read_granted.eq(~busy)]
        with m.If(~busy):
            m.d.comb += [rows.reads[0].enable.eq(port.read.enable), rows.reads[0].address.eq(port.read.address)]


class MappedMemories(ConfiguredComponent):
    """A host's map with a memory at each of its ports.

    Parameters
    ----------
    config : HostMapConfig

    Members
    -------
    accesses, answers, waiting
        The map's.
    busy : In(memories)
        Another user has the memory in this cycle.
    """

    def __init__(self, config):
        self._map = HostMap(config)
        members = self._map.signature.members
        self._memories = [
            (region.name, core, bank)
            for region in config.regions
            for core in range(region.cores)
            for bank in range(region.banks)
        ]
        super().__init__(
            config,
            {
                "accesses": members["accesses"],
                "answers": members["answers"],
                "waiting": members["waiting"],
                "busy": In(len(self._memories)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.map = host = self._map
        wiring.connect(m, wiring.flipped(self.accesses), host.accesses)
        m.d.comb += [self.answers.eq(host.answers), self.waiting.eq(host.waiting)]
        for number, (name, core, bank) in enumerate(self._memories):
            port = getattr(host, name)[core][bank]
            connect_memory(m, f"{name}_{core}_{bank}", port, self.busy[number])
        return m
