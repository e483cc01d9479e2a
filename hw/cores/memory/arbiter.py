"""One memory port for several users."""

from amaranth.hdl import Cat, Module
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import ArbiterConfig
from .ports import ReadPort, WritePort

__all__ = ["ReadArbiter", "WriteArbiter"]


class _Arbiter(ConfiguredComponent):
    """Gives a port to the first of its users that asks."""

    def __init__(self, config, port):
        super().__init__(
            config,
            {
                "users": In(port).array(config.users),
                "port": Out(port),
                "granted": Out(config.users),
                "conflict": Out(1),
            },
        )

    def _decide(self, m, enables, names):
        """Who has the port; its members ``names`` are those of the last user where nobody asks: that costs no logic."""
        blocked = [Cat(enables[:number]).any() for number in range(len(enables))]
        m.d.comb += [
            self.granted.eq(Cat(enable & ~earlier for enable, earlier in zip(enables, blocked, strict=True))),
            self.conflict.eq(Cat(enable & earlier for enable, earlier in zip(enables, blocked, strict=True)).any()),
        ]
        choices = [[getattr(self.port, name).eq(getattr(user, name)) for name in names] for user in self.users]
        m.d.comb += choices[-1]
        for number in reversed(range(len(choices) - 1)):
            with m.If(enables[number]):
                m.d.comb += choices[number]


class ReadArbiter(_Arbiter):
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
        super().__init__(config, ReadPort(shape, config.depth, config.latency))

    def elaborate(self, platform):
        m = Module()
        enables = [user.enable for user in self.users]
        self._decide(m, enables, ("address",))
        m.d.comb += self.port.enable.eq(Cat(enables).any())
        m.d.comb += [user.data.eq(self.port.data) for user in self.users]
        return m


class WriteArbiter(_Arbiter):
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
        super().__init__(config, WritePort(shape, config.depth, config.lanes))

    def elaborate(self, platform):
        m = Module()
        # The lanes of users that do not write are zeros, so the last user's lanes serve where nobody writes.
        self._decide(m, [user.enable.any() for user in self.users], ("enable", "address", "data"))
        return m
