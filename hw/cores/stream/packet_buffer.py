"""Buffers between packets from or for somebody else and a part that may be reset at any time."""

from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .buffer import StreamBuffer
from .buffer_config import StreamBufferConfig
from .packet import packet_layout, packet_signature

__all__ = ["PacketIntake", "PacketOutlet"]


class PacketIntake(wiring.Component):
    """Buffers packets on their way in. What ``clear`` cuts off goes to its end, and nowhere.

    With ``clear`` all rows in the buffer are gone at once, also for the part behind it, which is reset in the same
    cycle. The source knows nothing of it: when it was in the middle of a packet, the rest of that is also taken, and
    discarded. The next row on ``o`` is the first one of a packet. A packet whose first row was only offered is not cut.

    Latency, throughput and back-pressure are those of the stream buffer.

    Parameters
    ----------
    width : int
        Bits of a row.
    config : StreamBufferConfig

    Members
    -------
    clear : In(1)
        For one cycle or longer.
    i, o : streams of packet_layout(width)
    is_open : Out(1)
        The source has given a row of a packet, and not its last one.
    ending : Out(1)
        A packet was cut off, and the source has not given its end.
    level : Out(range(depth + 1))
        Rows that wait.
    """

    def __init__(self, width: int, config: StreamBufferConfig):
        self._width, self._config = width, config
        packets = packet_signature(width)
        super().__init__(
            {
                "clear": In(1),
                "i": In(packets),
                "o": Out(packets),
                "is_open": Out(1),
                "ending": Out(1),
                "level": Out(range(config.depth + 1)),
            }
        )

    @property
    def latency(self):
        """Cycles from ``i`` to ``o`` of an empty buffer."""
        return self._config.latency

    def elaborate(self, platform):
        m = Module()
        buffer = StreamBuffer(packet_layout(self._width), self._config)
        m.submodules.buffer = ResetInserter(self.clear)(buffer)
        following = _follow(m, self.i, self.is_open)
        m.d.comb += [
            buffer.i.payload.eq(self.i.payload),
            buffer.i.valid.eq(self.i.valid & ~self.ending),
            self.i.ready.eq(buffer.i.ready | self.ending),
            self.level.eq(buffer.level),
        ]
        wiring.connect(m, buffer.o, wiring.flipped(self.o))
        with m.If(self.clear):
            m.d.sync += self.ending.eq(following)
        with m.Elif(~following):
            m.d.sync += self.ending.eq(0)
        return m


class PacketOutlet(wiring.Component):
    """Buffers packets on their way out, and ends one that ``clear`` cuts off by the rules of streams.

    With ``clear`` all rows in the buffer are gone, and the part in front of it, reset in the same cycle, sends no more
    of them. The sink knows nothing of it: a row that it was offered stays as it is until it is taken. A packet that
    has begun is ended by one row more, whose data mean nothing. Rows that come meanwhile wait.

    Latency, throughput and back-pressure are otherwise those of the stream buffer.

    Parameters
    ----------
    width : int
        Bits of a row.
    config : StreamBufferConfig

    Members
    -------
    clear : In(1)
        For one cycle or longer.
    i, o : streams of packet_layout(width)
    is_open : Out(1)
        The sink has taken a row of a packet, and not its last one.
    ending : Out(1)
        A packet was cut off, and the sink has not taken its end.
    closing : Out(1)
        The row that is offered is the additional one.
    level : Out(range(depth + 1))
        Rows that wait.
    """

    def __init__(self, width: int, config: StreamBufferConfig):
        self._width, self._config = width, config
        packets = packet_signature(width)
        super().__init__(
            {
                "clear": In(1),
                "i": In(packets),
                "o": Out(packets),
                "is_open": Out(1),
                "ending": Out(1),
                "closing": Out(1),
                "level": Out(range(config.depth + 1)),
            }
        )

    @property
    def latency(self):
        """Cycles from ``i`` to ``o`` of an empty buffer."""
        return self._config.latency

    def elaborate(self, platform):
        m = Module()
        buffer = StreamBuffer(packet_layout(self._width), self._config)
        flush = Signal()
        m.submodules.buffer = ResetInserter(flush)(buffer)
        following = _follow(m, self.o, self.is_open)
        # A packet is cut off where nothing is offered that must stay: at once, or when the row offered then is taken.
        finishing, cuts, settled = Signal(), Signal(), Signal()
        m.d.comb += [
            settled.eq(self.o.ready | ~self.o.valid),
            cuts.eq((self.clear | finishing) & ~self.closing),
            flush.eq(cuts & settled),
            self.ending.eq(finishing | self.closing),
            self.level.eq(buffer.level),
            buffer.i.payload.eq(self.i.payload),
            buffer.i.valid.eq(self.i.valid & ~self.clear & ~self.ending),
            self.i.ready.eq(buffer.i.ready & ~self.clear & ~self.ending),
            self.o.payload.data.eq(buffer.o.payload.data),
            self.o.payload.last.eq(buffer.o.payload.last | self.closing),
            self.o.valid.eq(buffer.o.valid | self.closing),
            buffer.o.ready.eq(self.o.ready),
        ]
        with m.If(settled):
            m.d.sync += [finishing.eq(0), self.closing.eq(cuts & following)]
        with m.Else():
            m.d.sync += finishing.eq(cuts)
        return m


def _follow(m, packets, is_open):
    """Keeps in ``is_open`` whether a packet has begun; returns what that will be in the next cycle."""
    following = Signal()
    m.d.comb += following.eq(Mux(packets.valid & packets.ready, ~packets.payload.last, is_open))
    m.d.sync += is_open.eq(following)
    return following
