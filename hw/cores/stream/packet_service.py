"""Packets of requests to a part that answers each of them."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .packet import packet_signature
from .skid_buffer import SkidBuffer

__all__ = ["PacketService"]


class PacketService(wiring.Component):
    """Takes a packet, a request a beat, and gives the answers as a packet as long.

    Answers leave while requests come in, so a host that sends more than the part behind holds has to take them.

    Latency: none. Throughput: that of the part behind. Back-pressure: on all streams.

    Parameters
    ----------
    width : int
        Bits of a request and of an answer.

    Members
    -------
    serving : In(1)
        High until ``served``: a packet is taken, and no second one.
    served : Out(1)
        The last answer has left.
    packets_in, packets_out : streams of packets
    requests : Out(stream)
    answers : In(stream)
        One for each request, in their order.
    """

    def __init__(self, width: int):
        super().__init__(
            {
                "serving": In(1),
                "served": Out(1),
                "packets_in": In(packet_signature(width)),
                "packets_out": Out(packet_signature(width)),
                "requests": Out(stream.Signature(width)),
                "answers": In(stream.Signature(width)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # It ends the path of ready from the part behind to the source of the packets.
        m.submodules.skid_buffer = skid_buffer = SkidBuffer(self.requests.payload.shape())
        wiring.connect(m, skid_buffer.o, wiring.flipped(self.requests))
        ended = Signal()
        # Requests without an answer: far fewer, as queues hold no more.
        under_way = Signal(16)
        sent, answered, takes = Signal(), Signal(), Signal()
        m.d.comb += [
            takes.eq(self.serving & ~ended),
            skid_buffer.i.payload.eq(self.packets_in.payload.data),
            skid_buffer.i.valid.eq(self.packets_in.valid & takes),
            self.packets_in.ready.eq(skid_buffer.i.ready & takes),
            sent.eq(skid_buffer.i.valid & skid_buffer.i.ready),
            answered.eq(self.answers.valid & self.answers.ready),
            self.packets_out.payload.data.eq(self.answers.payload),
            self.packets_out.payload.last.eq(ended & (under_way == 1)),
            self.packets_out.valid.eq(self.answers.valid & self.serving),
            self.answers.ready.eq(self.packets_out.ready & self.serving),
            self.served.eq(ended & (under_way == 0)),
        ]
        m.d.sync += under_way.eq(under_way + sent - answered)
        with m.If(sent & self.packets_in.payload.last):
            m.d.sync += ended.eq(1)
        with m.Elif(~self.serving):
            m.d.sync += ended.eq(0)
        return m
