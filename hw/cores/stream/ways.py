"""Forks and buffers on the way of a stream."""

from amaranth.lib import wiring

from .buffer import StreamBuffer
from .buffer_config import StreamBufferConfig
from .connect import connect_field
from .fork import StreamFork

__all__ = ["buffer_stream", "buffer_to", "fork_stream"]


def fork_stream(m, name, values, ways=2):
    """A stream for each of several users; the submodule is ``NAME_fork``."""
    m.submodules[f"{name}_fork"] = fork = StreamFork(values.payload.shape(), ways)
    wiring.connect(m, values, fork.i)
    return fork.o


def buffer_stream(m, name, values, depth):
    """A stream behind a buffer; the submodule is ``NAME_waiting``."""
    m.submodules[f"{name}_waiting"] = buffer = StreamBuffer(values.payload.shape(), StreamBufferConfig(depth=depth))
    wiring.connect(m, values, buffer.i)
    return buffer.o


def buffer_to(m, name, source, sink, depth, field=None):
    """Connects a stream, or one field of its payload, to another behind a buffer; the submodule is ``NAME_waiting``."""
    m.submodules[f"{name}_waiting"] = buffer = StreamBuffer(sink.payload.shape(), StreamBufferConfig(depth=depth))
    if field is None:
        wiring.connect(m, source, buffer.i)
    else:
        connect_field(m, source, field, buffer.i)
    wiring.connect(m, buffer.o, sink)
