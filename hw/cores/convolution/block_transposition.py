"""Turns blocks of a stream: what comes line after line leaves column after column."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from .transform_config import TranspositionConfig

__all__ = ["BlockTransposition"]


class BlockTransposition(ConfiguredComponent):
    """Two halves of a small memory: a block is written line after line while the one before is read by columns.

    Latency: a cycle from a block's last value to its first one on ``o``. Throughput: a value a cycle. Back-pressure:
    that of ``o``, once both halves are full.

    Parameters
    ----------
    shape : shape-like
        A value.
    config : TranspositionConfig

    Members
    -------
    i, o : :py:`stream.Signature(shape)`
    """

    def __init__(self, shape, config: TranspositionConfig):
        self._shape = shape
        super().__init__(config, {"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform):
        m = Module()
        lines, columns = self._config.lines, self._config.columns
        size = lines * columns
        places = 1 << (size - 1).bit_length()
        m.submodules.memory = memory = Memory(
            self._shape, MemoryConfig(depth=2 * places, latency=0, style="distributed")
        )
        full = Signal(2)
        written, write_half, read_half = Signal(range(size)), Signal(), Signal()
        read, line = Signal(range(size)), Signal(range(lines))
        takes, gives = Signal(), Signal()
        bits = (size - 1).bit_length()
        m.d.comb += [
            self.i.ready.eq(~full.bit_select(write_half, 1)),
            takes.eq(self.i.valid & self.i.ready),
            memory.write.enable.eq(takes),
            memory.write.address.eq(Cat(written[:bits], write_half)),
            memory.write.data.eq(self.i.payload),
            self.o.valid.eq(full.bit_select(read_half, 1)),
            gives.eq(self.o.valid & self.o.ready),
            memory.reads[0].enable.eq(1),
            memory.reads[0].address.eq(Cat(read[:bits], read_half)),
            self.o.payload.eq(memory.reads[0].data),
        ]
        with m.If(takes):
            m.d.sync += written.eq(written + 1)
            with m.If(written == size - 1):
                m.d.sync += [written.eq(0), write_half.eq(~write_half), full.bit_select(write_half, 1).eq(1)]
        with m.If(gives):
            # Down a column, then to the head of the next one.
            at_end = line == lines - 1
            m.d.sync += [
                line.eq(Mux(at_end, 0, line + 1)),
                read.eq(Mux(at_end, read - ((lines - 1) * columns - 1), read + columns)),
            ]
            with m.If(read == size - 1):
                m.d.sync += [read.eq(0), read_half.eq(~read_half), full.bit_select(read_half, 1).eq(0)]
        return m
