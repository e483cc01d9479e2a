"""One of many: who is chosen in turn, several streams to one, and one stream to whoever takes it."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..bits import lowest
from ..checks import require_integer

__all__ = ["RoundRobinArbiter", "StreamArbiter", "StreamDispatcher"]


class RoundRobinArbiter(wiring.Component):
    """Chooses among requests in turn: after the one chosen last comes the next higher number that requests.

    Who requests without a break is chosen before any other is chosen twice: after count - 1 others at most.

    Latency: none from requests to index.

    Parameters
    ----------
    count : int
        Number of requests, at least 2.
    one_hot : bool
        There are ``grants``.

    Members
    -------
    requests : in, count bits
    take : in
        The request chosen is being served, and is now the last.
    index : out
        The request chosen; without requests it means nothing.
    grants : out, count bits
        The request chosen as a single bit, by fewer levels of logic than its index; none without requests.
    last : out
        Index of the one served last.
    """

    def __init__(self, count: int, *, one_hot: bool = False):
        self.count, self.one_hot = count, one_hot
        super().__init__(
            {
                "requests": In(count),
                "take": In(1),
                "index": Out(range(count)),
                **({"grants": Out(count)} if one_hot else {}),
                "last": Out(range(count), init=count - 1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        above = Signal(self.count)
        m.d.comb += [
            # None is above the first one.
            above.eq(
                Cat(Const(0, 1), *(self.requests[number] & (self.last < number) for number in range(1, self.count)))
            ),
            self.index.eq(Mux(above.any(), lowest(m, above, "next"), lowest(m, self.requests, "first"))),
        ]
        if self.one_hot:
            m.d.comb += self.grants.eq(Mux(above.any(), _first(above), _first(self.requests)))
        with m.If(self.take):
            m.d.sync += self.last.eq(self.index)
        return m


def _first(requests):
    """The lowest of the bits that are set, alone."""
    return Cat(request & ~requests[:number].any() for number, request in enumerate(requests))


class StreamArbiter(wiring.Component):
    """Gives the values of several streams on one, in turn (:class:`RoundRobinArbiter`).

    Latency: 1 cycle, the output's register. Throughput: a value a cycle. Back-pressure: a value is taken when the
    register is empty or being emptied.

    Parameters
    ----------
    shape : shape-like
        Payload.
    count : int
        Streams, at least 1.

    Members
    -------
    i : In(stream of shape).array(count)
    o : Out(stream of shape)

    Raises
    ------
    TypeError, ValueError
        ``count`` is no integer, or out of its range.
    """

    def __init__(self, shape, count: int):
        require_integer("Count", count, 1)
        self._count = count
        values = stream.Signature(shape)
        super().__init__({"i": In(values).array(count), "o": Out(values)})

    @property
    def count(self):
        """Streams."""
        return self._count

    def elaborate(self, platform):
        m = Module()
        requests, room, chosen = Signal(self._count), Signal(), Const(0, 1)
        m.d.comb += [requests.eq(Cat(source.valid for source in self.i)), room.eq(~self.o.valid | self.o.ready)]
        if self._count > 1:
            m.submodules.arbiter = arbiter = RoundRobinArbiter(self._count)
            m.d.comb += [arbiter.requests.eq(requests), arbiter.take.eq(room & requests.any())]
            chosen = arbiter.index
        with m.If(room):
            m.d.sync += self.o.valid.eq(requests.any())
        for number, source in enumerate(self.i):
            with m.If(room & (chosen == number)):
                m.d.comb += source.ready.eq(1)
                m.d.sync += self.o.payload.eq(source.payload)
        return m


class StreamDispatcher(wiring.Component):
    """Gives each value to the first of several parts that takes one: it waits only while none does.

    Latency: none. Throughput: a value a cycle. Back-pressure: a part's ``ready`` must not wait for ``valid``, which is
    given in the cycle of a transfer alone.

    Parameters
    ----------
    shape : shape-like
        Payload.
    count : int
        Parts, at least 1.

    Members
    -------
    i : In(stream of shape)
    o : Out(stream of shape).array(count)

    Raises
    ------
    TypeError, ValueError
        ``count`` is no integer, or out of its range.
    """

    def __init__(self, shape, count: int):
        require_integer("Count", count, 1)
        self._count = count
        values = stream.Signature(shape)
        super().__init__({"i": In(values), "o": Out(values).array(count)})

    @property
    def count(self):
        """Parts."""
        return self._count

    def elaborate(self, platform):
        m = Module()
        taken = Const(0, 1)
        for sink in self.o:
            m.d.comb += [sink.valid.eq(self.i.valid & sink.ready & ~taken), sink.payload.eq(self.i.payload)]
            taken = taken | sink.ready
        m.d.comb += self.i.ready.eq(taken)
        return m
