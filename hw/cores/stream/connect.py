"""Connects streams whose payloads have the same bits under other names, or one field of them."""

from amaranth.hdl import Value

__all__ = ["connect_bits", "connect_field", "connect_handshake"]


def connect_bits(m, source, target):
    """Connect streams of payloads of equal width, bit for bit."""
    m.d.comb += Value.cast(target.payload).eq(Value.cast(source.payload))
    connect_handshake(m, source, target)


def connect_field(m, source, field, target):
    """Connect one field of a stream's payload to a stream."""
    m.d.comb += target.payload.eq(source.payload[field])
    connect_handshake(m, source, target)


def connect_handshake(m, source, target):
    """Connect ``valid`` and ``ready``; the payload is the caller's affair."""
    m.d.comb += [target.valid.eq(source.valid), source.ready.eq(target.ready)]
