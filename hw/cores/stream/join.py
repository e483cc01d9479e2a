"""Connects streams whose payloads have the same bits under other names."""

from amaranth.hdl import Value

__all__ = ["join", "join_handshake"]


def join(m, source, target):
    """Connect streams of payloads of equal width, bit for bit."""
    m.d.comb += Value.cast(target.payload).eq(Value.cast(source.payload))
    join_handshake(m, source, target)


def join_handshake(m, source, target):
    """Connect ``valid`` and ``ready``; the payload is the caller's affair."""
    m.d.comb += [target.valid.eq(source.valid), source.ready.eq(target.ready)]
