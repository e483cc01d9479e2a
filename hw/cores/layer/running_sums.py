"""Sums that a pipelined adder adds to."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from ..component import ConfiguredComponent
from ..memory.memory import Memory
from ..memory.ports import ReadPort, WritePort
from .running_sums_config import RunningSumsConfig

__all__ = ["RunningSums"]


class RunningSums(ConfiguredComponent):
    """Keeps sums that an adder adds to: each is read, added to in the next cycle, and written when the adder has it.

    ::

        cycle 0     1             1 + adder_depth
        read -> data -> adder ... -> write

    A sum may be wanted again before it has been written: whatever the stalls, the data of a read have all writes up to
    their own cycle.

    Sums that may come back by then lie in distributed RAM, which is read in the cycle in which the data come, after
    the writes of the cycles before; one that is written in that very cycle bypasses it. Sums that come back later are
    in any memory, and nothing is built for hazards.

    Latency: 1 cycle from a read to its data. Throughput: a read and a write a cycle. No back-pressure.

    Parameters
    ----------
    shape : shape-like
        A row of sums.
    config : RunningSumsConfig

    Members
    -------
    read : In(ReadPort(shape, depth))
        Data count in the cycle after the read alone.
    write : In(WritePort(shape, depth))
        ``adder_depth + 1`` cycles after the read.
    """

    def __init__(self, shape, config: RunningSumsConfig):
        self._shape = shape
        super().__init__(
            config,
            {
                "read": In(ReadPort(shape, config.depth)),
                "write": In(WritePort(shape, config.depth)),
            },
        )

    @property
    def latency(self):
        """Cycles from a read to its data."""
        return 1

    def elaborate(self, platform):
        m = Module()
        config = self._config
        address = Signal.like(self.read.address)
        with m.If(self.read.enable):
            m.d.sync += address.eq(self.read.address)
        m.submodules.memory = memory = Memory(self._shape, config.memory)
        wiring.connect(m, wiring.flipped(self.write), memory.write)
        stored = memory.reads[0]
        if config.memory.latency == 0:
            m.d.comb += stored.address.eq(address)
        else:
            m.d.comb += [stored.enable.eq(self.read.enable), stored.address.eq(self.read.address)]
        m.d.comb += self.read.data.eq(stored.data)
        if config.interval == config.adder_depth:
            with m.If(self.write.enable & (self.write.address == address)):
                m.d.comb += self.read.data.eq(self.write.data)
        return m
