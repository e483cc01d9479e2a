"""Items to rounds: which cluster does what."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .matrix_config import SLOTS, STRIP, MatrixConfig, Product
from .matrix_layouts import entry_layout, item_layout, round_layout

__all__ = ["RoundBuilder"]


class RoundBuilder(wiring.Component):
    """Packs items into rounds of at most ``Q`` tasks, four operand slots and ``config.error_slots`` error slots.

    An item takes a cluster for each block in use. What no longer fits of an item is first in the next round: so the
    clusters are full whatever Q is. A round is closed when it is full, when an item needs a slot that is not there or
    is of another kind, or on ``flush``. Items of different commands share a round.

    Which results neighbouring clusters will have is said by ``entry``, in the order in which they leave.

    Throughput: an item a cycle, and a cycle for each round. While a round waits to be taken the next one is built.
    Back-pressure: items wait while two rounds are waiting, or there is no room for entries.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    items : In(stream.Signature(item_layout(config)))
    flush : In(1)
        Close the round that is being built, if there is something in it.
    round_valid : Out(1)
    round : Out(round_layout(config))
        Stable from ``round_valid`` to two cycles after ``take``.
    take : In(1)
    entry_valid : Out(1)
    entry : Out(entry_layout(config))
    entry_room : In(1)
        There is room for one.
    ends : Out(stream.Signature(8))
        For every command the number of its last round, counted from 1, modulo 256.
    closed : Out(8)
        Rounds that have been closed, modulo 256.
    idle : Out(1)
        No round is being built or waits.

    Source
    ------
    LearningGroup, section III-D: four rows with their workloads at a time there, four groups here.
    """

    def __init__(self, config: MatrixConfig):
        self._config = config
        super().__init__(
            {
                "items": In(stream.Signature(item_layout(config))),
                "flush": In(1),
                "round_valid": Out(1),
                "round": Out(round_layout(config)),
                "take": In(1),
                "entry_valid": Out(1),
                "entry": Out(entry_layout(config)),
                "entry_room": In(1),
                "ends": Out(stream.Signature(8)),
                "closed": Out(8),
                "idle": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        clusters = config.clusters
        item = self.items.payload

        # The round that is being built
        layout = round_layout(config)
        opened = Signal(layout)
        filled, items = Signal(range(clusters + 1)), Signal(range(clusters + 1))
        kind, blocks = Signal.like(item.product), Signal.like(item.blocks)
        # Blocks of the first item that were done in the round before; those of the item that goes on in the next.
        offset, next_offset = Signal(2), Signal(2)
        slots_used, columns_used = Signal(range(SLOTS + 1)), Signal(range(config.error_slots + 1))
        slot_valid, slot = Signal(), Signal(range(SLOTS))
        column_valid = Signal(STRIP)
        columns = [Signal(range(config.error_slots), name=f"column_{index}") for index in range(STRIP)]

        # Does the item fit?
        gradient, open_, full = Signal(), Signal(), Signal()
        needs_slot, needs_column, fits = Signal(), Signal(), Signal()
        current_column = Signal(range(config.error_slots))
        with m.Switch(item.column):
            for index in range(STRIP):
                with m.Case(index):
                    m.d.comb += current_column.eq(columns[index])
        m.d.comb += [
            gradient.eq(item.product == Product.GRADIENT),
            open_.eq(filled != 0),
            full.eq(filled == clusters),
            needs_slot.eq(item.new_slot | ~slot_valid),
            needs_column.eq(gradient & (item.new_column | ~column_valid.bit_select(item.column, 1))),
            fits.eq(
                ~open_
                | (item.product == kind)
                & (item.blocks == blocks)
                & ~(needs_slot & (slots_used == SLOTS))
                & ~(needs_column & (columns_used == config.error_slots))
            ),
        ]

        # Where does it go?
        item_blocks, remaining, room, placed = Signal(3), Signal(3), Signal.like(filled), Signal(3)
        split, filled_after = Signal(), Signal.like(filled)
        m.d.comb += [
            item_blocks.eq(1 << item.blocks),
            remaining.eq(item_blocks - Mux(open_, 0, offset)),
            room.eq(clusters - filled),
            split.eq(remaining > room),
            placed.eq(Mux(split, room, remaining)),
            filled_after.eq(filled + placed),
        ]

        # Entries: that of an item is sent when the next item, whose first blocks may belong to it, has come.
        held, held_valid = Signal(entry_layout(config)), Signal()
        first_of_entry, reaches_entry = Signal(range(clusters + 9)), Signal()
        ends_inside = Signal()
        before = Signal(range(clusters + 9))
        m.d.comb += [
            # Clusters before the entry that begins with this item, and before the one that is held.
            first_of_entry.eq(items << item.blocks),
            before.eq((items - 1) << blocks),
            reaches_entry.eq(filled_after > first_of_entry),
            ends_inside.eq(~reaches_entry),
        ]
        place, close, end = Signal(), Signal(), Signal()
        closable = Signal()
        m.d.comb += [
            closable.eq(~self.round_valid & ~self.take & ~_after(m, self.take)),
            end.eq(self.items.valid & item.end),
            place.eq(self.items.valid & ~item.end & ~full & fits & self.entry_room),
            close.eq(
                open_
                & (full | self.items.valid & ~item.end & ~fits | ~self.items.valid & self.flush)
                & closable
                & self.entry_room
            ),
            self.items.ready.eq(Mux(item.end, self.ends.ready, place & ~split)),
            self.entry_valid.eq(held_valid & (place | close)),
            self.entry.eq(held),
        ]
        with m.If(close):
            m.d.comb += [
                self.entry.count.eq(filled - before),
                self.entry.last.eq(1),
            ]
        with m.Else():
            m.d.comb += [
                self.entry.second.eq(item.target),
                self.entry.count.eq(Mux(ends_inside, filled_after - before, item_blocks)),
                self.entry.last.eq(ends_inside),
            ]

        with m.If(place):
            m.d.sync += [
                filled.eq(filled_after),
                items.eq(items + 1),
                kind.eq(item.product),
                blocks.eq(item.blocks),
                slot_valid.eq(1),
                held_valid.eq(reaches_entry),
                held.product.eq(item.product),
                held.blocks.eq(item.blocks),
                held.first.eq(item.target),
                held.offset.eq(offset),
                held.last.eq(0),
            ]
            with m.If(split):
                m.d.sync += next_offset.eq(item_blocks - remaining + placed)
            with m.If(needs_slot):
                m.d.sync += [slot.eq(slots_used), slots_used.eq(slots_used + 1)]
                with m.Switch(slots_used):
                    for index in range(SLOTS):
                        with m.Case(index):
                            m.d.sync += opened.slots[index].eq(item.slot)
                with m.If(item.slot.count > opened.steps):
                    m.d.sync += opened.steps.eq(item.slot.count)
            with m.If(needs_column):
                m.d.sync += columns_used.eq(columns_used + 1)
                with m.Switch(columns_used):
                    for index in range(config.error_slots):
                        with m.Case(index):
                            m.d.sync += opened.errors[index].eq(item.error)
                with m.Switch(item.column):
                    for index in range(STRIP):
                        with m.Case(index):
                            m.d.sync += [columns[index].eq(columns_used), column_valid[index].eq(1)]
            for cluster in range(clusters):
                # The number of the item whose block this cluster would have.
                number = Signal(range(clusters + 1), name=f"number_{cluster}")
                m.d.comb += number.eq((cluster + offset) >> item.blocks)
                task = opened.tasks[cluster]
                with m.If(number == items):
                    m.d.sync += [
                        task.slot.eq(Mux(needs_slot, slots_used, slot)),
                        task.block.eq((cluster + offset) & (item_blocks - 1)),
                        task.weight.eq(item.weight),
                        task.error.eq(Mux(needs_column, columns_used, current_column)),
                    ]

        # The round that waits
        number = Signal(8)
        waiting = Signal(layout)
        m.d.comb += self.round.eq(waiting)
        with m.If(self.take):
            m.d.sync += self.round_valid.eq(0)
        with m.If(close):
            m.d.sync += [
                self.round_valid.eq(1),
                waiting.eq(opened),
                waiting.product.eq(kind),
                waiting.steps.eq(Mux(opened.steps == 0, 1, opened.steps)),
                waiting.drain_cycles.eq(Mux(kind == Product.GRADIENT, filled, (filled + (1 << blocks) - 1) >> blocks)),
                number.eq(number + 1),
                filled.eq(0),
                items.eq(0),
                held_valid.eq(0),
                offset.eq(next_offset),
                next_offset.eq(0),
                slots_used.eq(0),
                columns_used.eq(0),
                slot_valid.eq(0),
                column_valid.eq(0),
                opened.steps.eq(0),
            ]
            m.d.sync += [opened.slots[index].count.eq(0) for index in range(SLOTS)]
            m.d.sync += [opened.errors[index].count.eq(0) for index in range(config.error_slots)]

        m.d.comb += [
            self.ends.valid.eq(end),
            self.ends.payload.eq(number + open_),
            self.closed.eq(number),
            self.idle.eq(~open_ & ~self.round_valid),
        ]
        return m


def _after(m, value):
    """``value`` one cycle later."""
    register = Signal(name="taken")
    m.d.sync += register.eq(value)
    return register
