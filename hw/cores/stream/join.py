"""Several streams to one."""

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .connect import connect_bits

__all__ = ["StreamJoin", "join_streams"]


class StreamJoin(wiring.Component):
    """Gives a value of each of several streams together, then the next of each.

    Latency: none. Throughput: one value a cycle. Back-pressure: values wait for each other.

    Parameters
    ----------
    shape : data.StructLayout
        A field for each stream, of its name.

    Members
    -------
    i : In(signature with a stream for each field)
    o : Out(stream of shape)
    """

    def __init__(self, shape: data.StructLayout):
        self._shape = shape
        streams = {name: Out(stream.Signature(field.shape)) for name, field in shape}
        super().__init__({"i": In(wiring.Signature(streams)), "o": Out(stream.Signature(shape))})

    @property
    def shape(self):
        """The layout of the joined values."""
        return self._shape

    def elaborate(self, platform):
        m = Module()
        sources = {name: getattr(self.i, name) for name, _ in self._shape}
        m.d.comb += self.o.valid.eq(Cat(source.valid for source in sources.values()).all())
        for name, source in sources.items():
            m.d.comb += [self.o.payload[name].eq(source.payload), source.ready.eq(self.o.valid & self.o.ready)]
        return m


def join_streams(m, name, **sources):
    """Puts a :class:`StreamJoin` of that name into a module behind streams, each by its field; returns its ``o``."""
    shapes = {field: source.payload.shape() for field, source in sources.items()}
    m.submodules[name] = join = StreamJoin(data.StructLayout(shapes))
    for field, source in sources.items():
        connect_bits(m, source, getattr(join.i, field))
    return join.o
