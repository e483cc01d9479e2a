"""Operand slots and error slots of the wave that is being built."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .matrix_config import COLUMN_BLOCK, SLOTS, MatrixConfig, Product
from .matrix_layouts import count_width, error_slot_layout, operand_slot_layout, work_item_layout

__all__ = ["SlotAllocator"]


class SlotAllocator(ConfiguredComponent):
    """Says which operand slot and which error slot of a wave a work item uses, and collects what is read in them.

    A work item shares the operand slot of the one before unless it has ``new_slot``. A work item of a weight gradient
    shares the error slot of its column in the column block, once that column has one.

    Latency: ``fits``, ``operand_slot`` and ``error_slot`` belong to the work item of the same cycle. The slots are
    registers, changed by ``place`` and emptied by ``clear``. No back-pressure.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    work_item : In(work_item_layout(config))
    place : In(1)
        The work item joins the wave. It must fit.
    clear : In(1)
        The next wave begins.
    fits : Out(1)
        The slots that the work item needs are there.
    operand_slot, error_slot : Out
        The numbers of its slots. Without a weight gradient the error slot means nothing.
    operand_slots : Out(ArrayLayout(operand_slot_layout(config), 4))
    error_slots : Out(ArrayLayout(error_slot_layout(config), error_slots))
        The slots of the wave. One that is not used has count 0.
    steps : Out
        The largest count of the operand slots.

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
                "clear": In(1),
                "fits": Out(1),
                "operand_slot": Out(range(SLOTS)),
                "error_slot": Out(range(config.error_slots)),
                "operand_slots": Out(data.ArrayLayout(operand_slot_layout(config), SLOTS)),
                "error_slots": Out(data.ArrayLayout(error_slot_layout(config), config.error_slots)),
                "steps": Out(count_width(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        operand_fits, error_fits = Signal(), Signal()
        self._allocate_operand_slot(m, operand_fits)
        self._allocate_error_slot(m, error_fits)
        m.d.comb += self.fits.eq(operand_fits & error_fits)
        return m

    def _allocate_operand_slot(self, m, fits):
        work_item = self.work_item
        used, current, current_valid = Signal(range(SLOTS + 1)), Signal(range(SLOTS)), Signal()
        needs_new = Signal()
        m.d.comb += [
            needs_new.eq(work_item.new_slot | ~current_valid),
            fits.eq(~needs_new | (used != SLOTS)),
            self.operand_slot.eq(Mux(needs_new, used, current)),
        ]
        with m.If(self.place):
            m.d.sync += [current.eq(self.operand_slot), current_valid.eq(1)]
            with m.If(needs_new):
                m.d.sync += used.eq(used + 1)
                with m.If(work_item.slot.count > self.steps):
                    m.d.sync += self.steps.eq(work_item.slot.count)
                for number in range(SLOTS):
                    with m.If(used == number):
                        m.d.sync += self.operand_slots[number].eq(work_item.slot)
        with m.If(self.clear):
            m.d.sync += [used.eq(0), current_valid.eq(0), self.steps.eq(0)]
            m.d.sync += [self.operand_slots[number].count.eq(0) for number in range(SLOTS)]

    def _allocate_error_slot(self, m, fits):
        work_item, count = self.work_item, self._config.error_slots
        used = Signal(range(count + 1))
        # The slot of each column of the column block, where it has one.
        slots = Signal(data.ArrayLayout(self.error_slot.shape(), COLUMN_BLOCK))
        slots_valid = Signal(COLUMN_BLOCK)
        needs_new = Signal()
        m.d.comb += [
            needs_new.eq(
                (work_item.product == Product.GRADIENT)
                & (work_item.new_column | ~slots_valid.bit_select(work_item.column, 1))
            ),
            fits.eq(~needs_new | (used != count)),
            self.error_slot.eq(Mux(needs_new, used, slots[work_item.column])),
        ]
        with m.If(self.place & needs_new):
            m.d.sync += [
                used.eq(used + 1),
                slots[work_item.column].eq(used),
                slots_valid.bit_select(work_item.column, 1).eq(1),
            ]
            for number in range(count):
                with m.If(used == number):
                    m.d.sync += self.error_slots[number].eq(work_item.error)
        with m.If(self.clear):
            m.d.sync += [used.eq(0), slots_valid.eq(0)]
            m.d.sync += [self.error_slots[number].count.eq(0) for number in range(count)]
