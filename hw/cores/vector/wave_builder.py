"""Work items to waves: which cluster does what."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .block_placer import BlockPlacer
from .descriptor_builder import DescriptorBuilder
from .matrix_config import MatrixConfig
from .matrix_layouts import result_descriptor_layout, wave_layout, work_item_layout
from .slot_allocator import SlotAllocator

__all__ = ["WaveBuilder"]


class WaveBuilder(ConfiguredComponent):
    """Packs work items into waves of at most ``Q`` assignments, four operand slots and ``error_slots`` error slots.

    ::

        work items ──┬──> BlockPlacer ────────┐
                     ├──> SlotAllocator ──────┴──> wave being built ──> wave that waits ──> waves
                     └──> DescriptorBuilder ─────────────────────────────────────────────> descriptors

    A work item takes a cluster for each block in use. The blocks for which no cluster is left come first in the next
    wave, so the clusters are full whatever Q is. A wave is closed when it is full, when a work item needs a slot that
    is not there or is of another kind, or on ``flush``. Work items of different commands share a wave.

    Latency: a wave that nothing hinders is offered two cycles after its last work item. Throughput: a work item a
    cycle, and a cycle for each wave. While a wave waits the next one is built. Back-pressure: work items wait while two
    waves are waiting, or no descriptor can leave.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    work_items : In(stream.Signature(work_item_layout(config)))
    flush : In(1)
        Close the wave that is being built, if there is something in it.
    waves : Out(stream.Signature(wave_layout(config)))
        The payload stays for two cycles after the transfer.
    descriptors : Out(stream.Signature(result_descriptor_layout(config)))
        In the order in which the results leave.
    ends : Out(stream.Signature(8))
        For every command the number of its last wave, counted from 1, modulo 256.
    closed : Out(8)
        Waves that have been closed, modulo 256.
    idle : Out(1)
        No wave is being built or waits.

    Source
    ------
    LearningGroup, section III-D: four rows with their workloads at a time there, four groups here.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            config,
            {
                "work_items": In(stream.Signature(work_item_layout(config))),
                "flush": In(1),
                "waves": Out(stream.Signature(wave_layout(config))),
                "descriptors": Out(stream.Signature(result_descriptor_layout(config))),
                "ends": Out(stream.Signature(8)),
                "closed": Out(8),
                "idle": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, work_item = self._config, self.work_items.payload
        m.submodules.placer = placer = BlockPlacer(config)
        m.submodules.slots = slots = SlotAllocator(config)
        m.submodules.descriptors = descriptors = DescriptorBuilder(config)
        wiring.connect(m, descriptors.descriptors, wiring.flipped(self.descriptors))

        is_item, is_end, fits, place = Signal(), Signal(), Signal(), Signal()
        close, can_close, taken = Signal(), Signal(), Signal()
        m.d.sync += taken.eq(self.waves.valid & self.waves.ready)
        m.d.comb += [
            is_item.eq(self.work_items.valid & ~work_item.end),
            is_end.eq(self.work_items.valid & work_item.end),
            fits.eq(~placer.opened | placer.same_kind & slots.fits),
            place.eq(is_item & ~placer.full & fits & descriptors.room),
            # The wave that was taken is still being read.
            can_close.eq(placer.opened & ~self.waves.valid & ~taken & descriptors.room),
            close.eq(can_close & (placer.full | is_item & ~fits | ~self.work_items.valid & self.flush)),
            self.work_items.ready.eq(Mux(work_item.end, self.ends.ready, place & ~placer.split)),
            self.ends.valid.eq(is_end),
            self.ends.payload.eq(self.closed + placer.opened),
            self.idle.eq(~placer.opened & ~self.waves.valid),
        ]
        m.d.comb += [
            placer.work_item.eq(work_item),
            placer.operand_slot.eq(slots.operand_slot),
            placer.error_slot.eq(slots.error_slot),
            placer.place.eq(place),
            placer.clear.eq(close),
            slots.work_item.eq(work_item),
            slots.place.eq(place),
            slots.clear.eq(close),
            descriptors.work_item.eq(work_item),
            descriptors.place.eq(place),
            descriptors.placed.eq(placer.placed),
            descriptors.offset.eq(placer.offset),
            descriptors.close.eq(close),
        ]
        with m.If(self.waves.valid & self.waves.ready):
            m.d.sync += self.waves.valid.eq(0)
        with m.If(close):
            m.d.sync += [
                self.closed.eq(self.closed + 1),
                self.waves.valid.eq(1),
                self.waves.payload.product.eq(placer.product),
                self.waves.payload.steps.eq(Mux(slots.steps == 0, 1, slots.steps)),
                self.waves.payload.drain_cycles.eq(placer.drain_cycles),
                self.waves.payload.operand_slots.eq(slots.operand_slots),
                self.waves.payload.error_slots.eq(slots.error_slots),
                self.waves.payload.assignments.eq(placer.assignments),
            ]
        return m
