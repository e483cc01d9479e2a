"""An unaligned memory that several users share."""

from amaranth.hdl import Cat, Module
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import SharedUnalignedConfig
from .unaligned import UnalignedMemory, UnalignedReadPort, UnalignedWritePort

__all__ = ["SharedUnalignedMemory"]


class SharedUnalignedMemory(ConfiguredComponent):
    """An :class:`.UnalignedMemory` whose ports belong in each cycle to the first of their users that asks.

    Latency: read data come two cycles after a request that is granted. Throughput: a read and a write a cycle.
    Back-pressure: who asks and is not granted asks again.

    Parameters
    ----------
    config : SharedUnalignedConfig

    Members
    -------
    reads : In(UnalignedReadPort(config.memory)).array(readers)
        All get the data of the last read, whoever asked.
    writes : In(UnalignedWritePort(config.memory)).array(writers)
    read_granted : Out(readers)
    write_granted : Out(writers)
        A bit for each user: no user before it asks in this cycle.
    """

    def __init__(self, config: SharedUnalignedConfig):
        super().__init__(
            config,
            {
                "reads": In(UnalignedReadPort(config.memory)).array(config.readers),
                "writes": In(UnalignedWritePort(config.memory)).array(config.writers),
                "read_granted": Out(config.readers),
                "write_granted": Out(config.writers),
            },
        )

    @property
    def latency(self):
        """Cycles from a read request to its data."""
        return 2

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = UnalignedMemory(self._config.memory)
        m.d.comb += [user.data.eq(memory.read.data) for user in self.reads]
        _share(m, memory.read, self.reads, self.read_granted, ("enable", "row", "lane"))
        _share(m, memory.write, self.writes, self.write_granted, ("enable", "row", "lane", "data"))
        return m


def _share(m, port, users, granted, names):
    """Gives a port to the first user that asks, and to the last one where nobody does: that costs no logic."""
    asks = [user.enable.any() for user in users]
    m.d.comb += granted.eq(Cat(~Cat(asks[:number]).any() for number in range(len(asks))))
    choices = [[getattr(port, name).eq(getattr(user, name)) for name in names] for user in users]
    m.d.comb += choices[-1]
    for asked, choice in zip(reversed(asks[:-1]), reversed(choices[:-1]), strict=True):
        with m.If(asked):
            m.d.comb += choice
