"""A transfer engine with a host's map and memories behind it."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from rewardware.hw.cores.component import ConfiguredComponent
from rewardware.hw.cores.forwarding import forward_port
from rewardware.hw.cores.memory.host_map_config import HostMapConfig, HostRegion
from rewardware.hw.soc.shell.transfer_config import TransferConfig
from rewardware.hw.soc.shell.transfer_engine import TransferEngine
from tests.hw.cores.memory.mapped_memories import REGIONS, MappedMemories

SKEWED = (
    HostRegion(name="words", number=1, width=16, depth=15, settle=9),
    HostRegion(name="halves", number=2, width=16, depth=15, parts=2, latency=3, settle=9),
)
CONFIGS = {
    "copies": TransferConfig(
        host=HostMapConfig(regions=REGIONS, core_width=3), width=64, address_width=10, copy_rows=9, option_width=3
    ),
    "registered": TransferConfig(
        host=HostMapConfig(regions=REGIONS, core_width=2, registered=True), width=40, address_width=6
    ),
    "skewed": TransferConfig(host=HostMapConfig(regions=SKEWED, modulus=5, registered=True), width=16, address_width=7),
}


class TransferredMemories(ConfiguredComponent):
    """The engine's ports towards a shell, those of the memories' other user, and what memories see.

    Parameters
    ----------
    config : TransferConfig

    Members
    -------
    commands, completions, busy, errors, packets_in, packets_out
        Ports of the engine.
    others : In(memories)
        Another user has the memory in this cycle.
    access : Out
        The access that the map takes in this cycle, if ``accesses``.
    copies : Out
        Copies of the engine, where it has them.
    """

    def __init__(self, config):
        self._engine, self._memories = TransferEngine(config), MappedMemories(config.host)
        members = self._engine.signature.members
        names = ["commands", "completions", "busy", "errors", "packets_in", "packets_out"]
        self._outside = names + [name for name in ("copies", "options") if name in members]
        super().__init__(
            config,
            {name: members[name] for name in self._outside}
            | {
                "others": self._memories.signature.members["busy"],
                "access": Out(self._engine.accesses.payload.shape()),
                "accesses": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.engine = engine = self._engine
        m.submodules.memories = memories = self._memories
        wiring.connect(m, engine.accesses, memories.accesses)
        for name in self._outside:
            forward_port(m, engine, self, name)
        m.d.comb += [
            engine.answers.eq(memories.answers),
            engine.waiting.eq(memories.waiting),
            memories.busy.eq(self.others),
            self.access.eq(engine.accesses.payload),
            self.accesses.eq(engine.accesses.valid & engine.accesses.ready),
        ]
        return m
