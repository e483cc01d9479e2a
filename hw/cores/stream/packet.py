"""Streams of packets, and a reader that cuts a transfer of known length out of one."""

from amaranth.hdl import Module, Signal, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent

__all__ = ["PacketReader", "packet_layout", "packet_signature"]


def packet_layout(width):
    """Payload of a stream of packets: ``data`` of ``width`` bits, and ``last`` in the row that ends a packet."""
    return data.StructLayout({"data": unsigned(width), "last": unsigned(1)})


def packet_signature(width):
    """A stream of packets of ``width`` bits per row."""
    return stream.Signature(packet_layout(width))


class PacketReader(ConfiguredComponent):
    """Passes on the rows of one packet for each request, and tells when packet and request differ in length.

    For a request of n rows the next n rows go from ``i`` to ``o``. If the packet ends before, ``underflow`` is 1 for a
    cycle and the request ends there. If it goes on, ``overflow`` is 1 for a cycle and the rest of the packet is
    dropped, so that the next request begins with the next packet.

    Latency: none from ``i`` to ``o``; ``done`` is 1 in the cycle after the last row. Throughput: one row a cycle.
    Back-pressure: ``i`` waits for a request and for ``o``.

    Parameters
    ----------
    config : PacketReaderConfig

    Members
    -------
    requests : :py:`In(stream.Signature(count_width))`
        Rows of each transfer, at least 1 (0 is done at once).
    i : :py:`In(packet_signature(width))`
        Packets.
    o : :py:`Out(stream.Signature(width))`
        Rows.
    done, underflow, overflow : :py:`Out(1)`
        One cycle each. ``done`` comes after every request, whatever its packet was like.
    """

    def __init__(self, config):
        super().__init__(
            config,
            {
                "requests": In(stream.Signature(unsigned(config.count_width))),
                "i": In(packet_signature(config.width)),
                "o": Out(stream.Signature(unsigned(config.width))),
                "done": Out(1),
                "underflow": Out(1),
                "overflow": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from the transfer of a row on ``i`` to the same row on ``o``."""
        return 0

    def elaborate(self, platform):
        m = Module()
        left = Signal(self.config.count_width)
        taken = Signal()
        m.d.comb += [self.o.payload.eq(self.i.payload.data), taken.eq(self.i.valid & self.i.ready)]
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.requests.ready.eq(1)
                with m.If(self.requests.valid):
                    m.d.sync += left.eq(self.requests.payload)
                    m.next = "PASS"
                    with m.If(self.requests.payload == 0):
                        m.next = "DONE"
            with m.State("PASS"):
                m.d.comb += [self.o.valid.eq(self.i.valid), self.i.ready.eq(self.o.ready)]
                with m.If(taken):
                    m.d.sync += left.eq(left - 1)
                    with m.If(self.i.payload.last):
                        m.d.comb += self.underflow.eq(left != 1)
                        m.next = "DONE"
                    with m.Elif(left == 1):
                        m.d.comb += self.overflow.eq(1)
                        m.next = "DROP"
            with m.State("DROP"):
                m.d.comb += self.i.ready.eq(1)
                with m.If(taken & self.i.payload.last):
                    m.next = "DONE"
            with m.State("DONE"):
                m.d.comb += self.done.eq(1)
                m.next = "IDLE"
        return m
