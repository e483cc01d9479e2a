"""Blocks of work items to clusters."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .cluster import assignment_layout
from .matrix_config import MatrixConfig, Product
from .matrix_layouts import work_item_layout

__all__ = ["BlockPlacer"]


class BlockPlacer(ConfiguredComponent):
    """Gives the blocks of work items, in order, to the clusters of the wave that is being built.

    If there are fewer clusters left than blocks, the remaining blocks are the first ones of the next wave.

    Latency: ``placed`` and ``split`` belong to the work item of the same cycle. The assignments are registers, changed
    by ``place`` and emptied by ``clear``. No back-pressure.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    work_item : In(work_item_layout(config))
    operand_slot, error_slot : In
        The slots that it uses.
    place : In(1)
        It joins the wave, which must not be full.
    clear : In(1)
        The next wave begins.
    opened, full : Out(1)
        A cluster has something to do; all of them have.
    same_kind : Out(1)
        The work item is a product of the same kind as the wave, with as many blocks in use.
    placed : Out(3)
        The blocks of the work item that join the wave.
    split : Out(1)
        Whether more are left of it than those.
    offset : Out(2)
        The first block of the wave's first work item.
    product : Out
        The kind of the wave.
    assignments : Out(ArrayLayout(assignment_layout(config), clusters))
    drain_cycles : Out(range(clusters + 1))
        What the results take to leave.

    Source
    ------
    LearningGroup, section III-D.
    """

    def __init__(self, config: MatrixConfig):
        work_item, assignment = work_item_layout(config), assignment_layout(config)
        super().__init__(
            config,
            {
                "work_item": In(work_item),
                "operand_slot": In(assignment["slot"].shape),
                "error_slot": In(assignment["error"].shape),
                "place": In(1),
                "clear": In(1),
                "opened": Out(1),
                "full": Out(1),
                "same_kind": Out(1),
                "placed": Out(3),
                "split": Out(1),
                "offset": Out(2),
                "product": Out(work_item["product"].shape),
                "assignments": Out(data.ArrayLayout(assignment, config.clusters)),
                "drain_cycles": Out(range(config.clusters + 1)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        clusters, work_item = self._config.clusters, self.work_item
        filled, room = Signal(range(clusters + 1)), Signal(range(clusters + 1))
        # They have no bits where a word has one block.
        offset, next_offset = Signal(range(self._config.blocks)), Signal(range(self._config.blocks))
        blocks = Signal.like(work_item.blocks)
        in_use, left = Signal(3), Signal(3)
        m.d.comb += [
            self.offset.eq(offset),
            self.opened.eq(filled != 0),
            self.full.eq(room == 0),
            self.same_kind.eq((work_item.product == self.product) & (work_item.blocks == blocks)),
            room.eq(clusters - filled),
            in_use.eq(1 << work_item.blocks),
            left.eq(in_use - Mux(self.opened, 0, self.offset)),
            self.split.eq(left > room),
            self.placed.eq(Mux(self.split, room, left)),
            self.drain_cycles.eq(Mux(self.product == Product.GRADIENT, filled, (filled + (1 << blocks) - 1) >> blocks)),
        ]
        with m.If(self.place):
            m.d.sync += [
                filled.eq(filled + self.placed),
                self.product.eq(work_item.product),
                blocks.eq(work_item.blocks),
                next_offset.eq(Mux(self.split, in_use - left + self.placed, 0)),
            ]
        with m.If(self.clear):
            m.d.sync += [filled.eq(0), offset.eq(next_offset), next_offset.eq(0)]
        for cluster, assignment in enumerate(self.assignments):
            # The clusters after this work item's are overwritten by the next ones'.
            with m.If(self.place & (filled <= cluster)):
                m.d.sync += [
                    assignment.slot.eq(self.operand_slot),
                    assignment.block.eq((cluster + self.offset) & (in_use - 1)),
                    assignment.weight.eq(work_item.weight),
                    assignment.error.eq(self.error_slot),
                ]
        return m
