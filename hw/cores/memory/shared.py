"""A memory with one read port and one write port that several users share."""

from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .arbiter import ReadArbiter, WriteArbiter
from .config import ArbiterConfig, MemoryConfig, SharedMemoryConfig
from .memory import Memory
from .ports import ReadPort, WritePort

__all__ = ["SharedMemory", "connect_rows"]


class SharedMemory(ConfiguredComponent):
    """A :class:`.Memory` behind a :class:`.ReadArbiter` and a :class:`.WriteArbiter`.

    ::

        reads ──> ReadArbiter ──> Memory <── WriteArbiter <── writes

    Latency: a cycle from a read to its data; a read in the cycle of a write gives what stood there. Throughput: a row
    read and a row, or lanes of it, written a cycle. Back-pressure: who is not granted has to ask again, or the system
    promises that two never meet and reports ``conflict``.

    Parameters
    ----------
    shape : shape-like
        A row.
    config : SharedMemoryConfig

    Members
    -------
    reads : In(ReadPort(shape, depth)).array(readers)
        All get the data of the last read, whoever asked.
    writes : In(WritePort(shape, depth, lanes)).array(writers)
    read_granted : Out(readers)
    write_granted : Out(writers)
        A bit for each user: it has the port in this cycle.
    conflict : Out(1)
        Two users read, or two write, in this cycle.
    """

    def __init__(self, shape, config: SharedMemoryConfig):
        self._reads = ReadArbiter(shape, ArbiterConfig(depth=config.depth, users=config.readers))
        self._writes = WriteArbiter(shape, ArbiterConfig(depth=config.depth, users=config.writers, lanes=config.lanes))
        self._memory = Memory(shape, MemoryConfig(depth=config.depth, lanes=config.lanes))
        read, write = ReadPort(shape, config.depth), WritePort(shape, config.depth, config.lanes)
        super().__init__(
            config,
            {
                "reads": In(read).array(config.readers),
                "writes": In(write).array(config.writers),
                "read_granted": Out(config.readers),
                "write_granted": Out(config.writers),
                "conflict": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = self._memory
        m.submodules.read_arbiter = reads = self._reads
        m.submodules.write_arbiter = writes = self._writes
        wiring.connect(m, reads.port, self._memory.reads[0])
        wiring.connect(m, writes.port, self._memory.write)
        for arbiter, users in ((reads, self.reads), (writes, self.writes)):
            for inner, outer in zip(arbiter.users, users, strict=True):
                wiring.connect(m, wiring.flipped(outer), inner)
        m.d.comb += [
            self.read_granted.eq(reads.granted),
            self.write_granted.eq(writes.granted),
            self.conflict.eq(reads.conflict | writes.conflict),
        ]
        return m


def connect_rows(m, rows, lanes):
    """Connects who writes whole rows to a write port with an enable for each lane."""
    m.d.comb += [
        lanes.enable.eq(rows.enable.replicate(len(lanes.enable))),
        lanes.address.eq(rows.address),
        Value.cast(lanes.data).eq(rows.data),
    ]
