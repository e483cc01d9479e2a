"""Result descriptors: where the results of neighbouring clusters go."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .matrix_config import MatrixConfig
from .matrix_layouts import result_descriptor_layout, work_item_layout

__all__ = ["DescriptorBuilder"]


class DescriptorBuilder(ConfiguredComponent):
    """Describes the results of a wave, as many clusters to a descriptor as blocks are in use.

    Work items lie side by side over the clusters, and the first one of a wave may begin with a later block::

        clusters      0   1   2   3 | 4   5   6   7 | 8 ...
        work items    a2  a3  b0  b1 | b2  b3  c0  c1 | c2
        descriptors   a, then b      | b, then c      | c

    So a descriptor is sent when the next work item, to which its last clusters may belong, is placed, or the wave is
    closed.

    Latency: one cycle. Throughput: a descriptor a cycle. Back-pressure: ``room`` says that one may come.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    work_item : In(work_item_layout(config))
    place : In(1)
        It joins the wave. Only while there is room.
    placed : In(3)
        Its blocks that join the wave, if it does; not 0 then.
    offset : In(2)
        The first block of the wave's first work item.
    close : In(1)
        The wave ends with what has been placed before. Only while there is room.
    room : Out(1)
    descriptors : Out(stream.Signature(result_descriptor_layout(config)))

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            config,
            {
                "work_item": In(work_item_layout(config)),
                "place": In(1),
                "placed": In(3),
                "offset": In(2),
                "close": In(1),
                "room": Out(1),
                "descriptors": Out(stream.Signature(result_descriptor_layout(config))),
            },
        )

    def elaborate(self, platform):
        m = Module()
        work_item, descriptors = self.work_item, self.descriptors
        in_use = Signal(3)
        # The descriptor of the work item before; its count so far.
        begun, begun_valid = Signal(result_descriptor_layout(self._config)), Signal()
        covered, begins = Signal(4), Signal()
        m.d.comb += [
            in_use.eq(1 << work_item.blocks),
            covered.eq(Mux(begun_valid, begun.count, 0) + self.placed),
            # If not, the wave ends inside the descriptor that has begun.
            begins.eq(~begun_valid | (covered > in_use)),
            self.room.eq(~descriptors.valid | descriptors.ready),
        ]
        with m.If(self.room):
            m.d.sync += descriptors.valid.eq(begun_valid & (self.place | self.close))
        with m.If(self.room & begun_valid):
            m.d.sync += descriptors.payload.eq(begun)
            with m.If(self.place):
                m.d.sync += [
                    descriptors.payload.second.eq(work_item.target),
                    descriptors.payload.count.eq(Mux(begins, in_use, covered)),
                    descriptors.payload.last.eq(~begins),
                ]
            with m.Else():
                m.d.sync += descriptors.payload.last.eq(1)
        with m.If(self.place):
            m.d.sync += [
                begun_valid.eq(begins),
                begun.product.eq(work_item.product),
                begun.blocks.eq(work_item.blocks),
                begun.first.eq(work_item.target),
                begun.offset.eq(self.offset),
                begun.count.eq(Mux(begun_valid, covered - in_use, covered)),
            ]
        with m.If(self.close):
            m.d.sync += begun_valid.eq(0)
        return m
