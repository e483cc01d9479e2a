"""One memory port for several users."""

from amaranth.hdl import Cat, Module
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import ArbiterConfig
from .ports import ReadPort, WritePort

__all__ = ["ReadArbiter", "WriteArbiter"]


class ReadArbiter(ConfiguredComponent):
    """Gives one read port to several users: in every cycle to the first one that asks.

    Latency: none added, combinational. Throughput: a read a cycle, of one user. Back-pressure: a user that asks and is
    not ``granted`` has not read; it asks again, or the system promises that two never meet and reports ``conflict``.

    Parameters
    ----------
    shape : shape-like
        A row.
    config : ArbiterConfig

    Members
    -------
    users : In(ReadPort(shape, depth, latency)).array(users)
        All get the same ``data``: those of the last read, whoever asked.
    port : Out(ReadPort(shape, depth, latency))
        To the memory.
    granted : Out(users)
        A bit for each user: it reads in this cycle.
    conflict : Out(1)
        Two users ask in this cycle.
    """

    def __init__(self, shape, config: ArbiterConfig):
        port = ReadPort(shape, config.depth, config.latency)
        super().__init__(
            config,
            {
                "users": In(port).array(config.users),
                "port": Out(port),
                "granted": Out(config.users),
                "conflict": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        enables = [user.enable for user in self.users]
        _decide(m, enables, self.granted, self.conflict)
        m.d.comb += self.port.enable.eq(Cat(enables).any())
        m.d.comb += [user.data.eq(self.port.data) for user in self.users]
        _choose(m, enables, [[self.port.address.eq(user.address)] for user in self.users])
        return m


class WriteArbiter(ConfiguredComponent):
    """Gives one write port to several users: in every cycle to the first one that writes, whatever lanes it writes.

    Latency: none added, combinational. Throughput: a write a cycle, of one user. Back-pressure: a user that writes and
    is not ``granted`` has not written; it writes again, or the system promises that two never meet and reports
    ``conflict``.

    Parameters
    ----------
    shape : shape-like
        A row.
    config : ArbiterConfig

    Members
    -------
    users : In(WritePort(shape, depth, lanes)).array(users)
    port : Out(WritePort(shape, depth, lanes))
        To the memory.
    granted : Out(users)
        A bit for each user: it writes in this cycle.
    conflict : Out(1)
        Two users write in this cycle.
    """

    def __init__(self, shape, config: ArbiterConfig):
        port = WritePort(shape, config.depth, config.lanes)
        super().__init__(
            config,
            {
                "users": In(port).array(config.users),
                "port": Out(port),
                "granted": Out(config.users),
                "conflict": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        enables = [user.enable.any() for user in self.users]
        _decide(m, enables, self.granted, self.conflict)
        # The lanes of users that do not write are zeros, so the last user's stand for nobody's.
        _choose(
            m,
            enables,
            [
                [
                    self.port.enable.eq(user.enable),
                    self.port.address.eq(user.address),
                    self.port.data.eq(user.data),
                ]
                for user in self.users
            ],
        )
        return m


def _decide(m, enables, granted, conflict):
    """Who has the port, and whether two want it."""
    blocked = [Cat(enables[:number]).any() for number in range(len(enables))]
    m.d.comb += [
        granted.eq(Cat(enable & ~earlier for enable, earlier in zip(enables, blocked, strict=True))),
        conflict.eq(Cat(enable & earlier for enable, earlier in zip(enables, blocked, strict=True)).any()),
    ]


def _choose(m, enables, connections):
    """The connections of the first user that asks; of the last one where nobody does, which costs no logic."""
    m.d.comb += connections[-1]
    for enable, statements in reversed(list(zip(enables[:-1], connections[:-1], strict=True))):
        with m.If(enable):
            m.d.comb += statements
