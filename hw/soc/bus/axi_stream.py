"""AXI4-Stream inside: a stream whose payload has the data and whether it ends a packet."""

from amaranth.hdl import unsigned
from amaranth.lib import data, stream

__all__ = ["packet_layout", "packet_signature"]


def packet_layout(width):
    """Payload of a stream of packets: ``data`` of ``width`` bits and ``last``."""
    return data.StructLayout({"data": unsigned(width), "last": unsigned(1)})


def packet_signature(width):
    """A stream of packets of ``width`` bits a beat."""
    return stream.Signature(packet_layout(width))
