"""Packs runs of elements of any size into rows without gaps."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..bits import rotate
from ..component import ConfiguredComponent
from .row_packer_config import RowPackerConfig

__all__ = ["RowPacker", "packed_elements"]


def packed_elements(config: RowPackerConfig) -> data.StructLayout:
    """Layout of the elements that go in.

    ``elements``: the first ``size`` of them count, at least one; the others are 0. ``last``: a row ends with them.
    """
    return data.StructLayout(
        {
            "elements": data.ArrayLayout(config.width, config.lanes),
            "size": range(config.lanes + 1),
            "last": 1,
        }
    )


class RowPacker(ConfiguredComponent):
    """Puts elements one after the other until a row is full, or ends; after its last element a row is 0.

    A network turns what comes to where the row is full up to; what goes over the end of the row is then in the first
    lanes, where the next row begins.

    Latency: none: a row leaves in the cycle in which it becomes full. Throughput: elements a cycle, but one cycle more
    where those that end a row fill two. Back-pressure: that of ``o``.

    Parameters
    ----------
    config : RowPackerConfig

    Members
    -------
    i : :py:`In(stream.Signature(packed_elements(config)))`
    o : :py:`Out(stream.Signature(data.ArrayLayout(width, lanes)))`
    """

    def __init__(self, config: RowPackerConfig):
        row = data.ArrayLayout(config.width, config.lanes)
        super().__init__(config, {"i": In(stream.Signature(packed_elements(config))), "o": Out(stream.Signature(row))})

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes
        # Elements that wait for more, and whether they are all there is of a row.
        held = Signal(data.ArrayLayout(self._config.width, lanes))
        level, ends = Signal(range(lanes)), Signal()
        payload = self.i.payload
        turned = rotate(m, list(payload.elements), level, "turned")
        total, full, over = Signal(range(2 * lanes)), Signal(), Signal()
        m.d.comb += [
            total.eq(level + payload.size),
            full.eq(total >= lanes),
            # More than a row, and a row ends: what is over becomes one by itself.
            over.eq(payload.last & (total > lanes)),
        ]
        row = []
        for lane in range(lanes):
            element = Signal(self._config.width, name=f"element_{lane}")
            m.d.comb += element.eq(Mux(lane < level, held[lane], Mux(ends, 0, turned[lane])))
            row.append(element)
        leaves = Signal()
        m.d.comb += [
            self.o.payload.eq(Cat(row)),
            leaves.eq(full | payload.last),
            self.o.valid.eq(ends | self.i.valid & leaves),
            self.i.ready.eq(~ends & (self.o.ready | ~leaves)),
        ]
        with m.If(ends):
            with m.If(self.o.ready):
                m.d.sync += [ends.eq(0), level.eq(0)]
        with m.Elif(self.i.valid & self.i.ready):
            m.d.sync += ends.eq(over)
            with m.If(full):
                m.d.sync += [held.eq(Cat(turned)), level.eq(Mux(payload.last & ~over, 0, total - lanes))]
            with m.Else():
                m.d.sync += [held.eq(Cat(row)), level.eq(Mux(payload.last, 0, total))]
        return m
