"""Commands to items: walks group tables and lists."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .matrix_config import STRIP, MatrixConfig, Product
from .matrix_layouts import address_width, command_layout, group_layout, item_layout, read_signature

__all__ = ["SegmentGenerator"]


class SegmentGenerator(wiring.Component):
    """Turns a command into its items, in order: what the clusters do, one block a cluster.

    * Forward and backward: group by group, in a group word by word (of vectors, if there are several), in a word outer
      feature by outer feature. ``weight_banks`` of them are a *segment*, whose weights are read together: it takes an
      operand slot.
    * Weight gradient: group by group, the columns in strips of up to four (of nearly equal widths, so that no strip
      has a single column unless the group has); in a strip row by row, in a row column by column. Every row of a strip
      takes an operand slot, every column an error slot.

    Groups without outer features are skipped, in weight gradients and with ``skip_empty`` also those without inner
    ones. Behind the last item
    of a command comes one with ``end``.

    Throughput: an item a cycle; a group costs no cycle of its own, one that is skipped one. Latency: 4 cycles from a
    command to its first item. Back-pressure: an item waits as long as it takes.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    commands : In(stream.Signature(command_layout(config)))
    items : Out(stream.Signature(item_layout(config)))
    tables, row_list, column_list : Out(read_signature)
        The lists' ports are used by forward products for the columns, by backward ones for the rows, by gradients for
        both; data must stay until the next ``enable``.
    product : Out(PRODUCT)
        Kind of the command being walked.
    waiting : Out(1)
        An item of that kind wants to read a list.
    enable : In(1)
        It may.
    idle : Out(1)
        Nothing is under way.

    Source
    ------
    LearningGroup, sections III-B and III-C: index list and workloads there, lists and counts here.
    """

    def __init__(self, config: MatrixConfig):
        self._config = config
        lists = read_signature(config.list_rows, address_width(config.features))
        super().__init__(
            {
                "commands": In(stream.Signature(command_layout(config))),
                "items": Out(stream.Signature(item_layout(config))),
                "tables": Out(read_signature(config.table_rows, group_layout(config))),
                "row_list": Out(lists),
                "column_list": Out(lists),
                "product": Out(item_layout(config)["product"].shape),
                "waiting": Out(1),
                "enable": In(1),
                "idle": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config, index_bits = self._config, self._config.weight_bank_bits
        command = Signal(command_layout(config))
        group = Signal(group_layout(config))
        active, left = Signal(), Signal.like(command.groups)
        # The entry at the table's output has been read for the group that is next.
        entry_valid, group_valid = Signal(), Signal()
        entry = self.tables.data
        forward = command.product == Product.FORWARD
        gradient = Signal()
        m.d.comb += [gradient.eq(command.product == Product.GRADIENT), self.product.eq(command.product)]

        # First stage: the item that is next, its list addresses.
        raw, raw_valid, raw_ready = Signal(item_layout(config)), Signal(), Signal()
        finished, last_of_group, advance, needs_group, takes_entry = (
            Signal(name=name) for name in ("finished", "last_of_group", "advance", "needs_group", "takes_entry")
        )
        m.d.comb += [
            finished.eq(active & ~group_valid & ~entry_valid & (left == 0)),
            raw_valid.eq(group_valid | finished),
            advance.eq(raw_valid & raw_ready),
            needs_group.eq(~group_valid | advance & last_of_group),
            takes_entry.eq(entry_valid & needs_group),
        ]

        # Group table
        m.d.comb += self.commands.ready.eq(~active | finished & raw_ready)
        accepted = Signal()
        reads = Signal()
        address = Signal.like(command.table)
        m.d.comb += [
            accepted.eq(self.commands.valid & self.commands.ready),
            reads.eq(active & (left != 0) & (takes_entry | ~entry_valid)),
            self.tables.enable.eq(reads),
            self.tables.address.eq(address),
        ]
        with m.If(takes_entry):
            m.d.sync += entry_valid.eq(0)
        with m.If(reads):
            m.d.sync += [
                entry_valid.eq(1),
                left.eq(left - 1),
                address.eq(Mux(command.reversed, address - 1, address + 1)),
            ]
        with m.If(finished & raw_ready):
            m.d.sync += active.eq(0)
        with m.If(accepted):
            new = self.commands.payload
            m.d.sync += [
                active.eq(1),
                command.eq(new),
                left.eq(new.groups),
                address.eq(Mux(new.reversed, new.table + new.groups - 1, new.table)),
            ]
        with m.If(takes_entry):
            m.d.sync += [
                group.eq(entry),
                group_valid.eq(
                    (entry.outer_count != 0) & ~((gradient | command.skip_empty) & (entry.inner_count == 0))
                ),
            ]
        with m.Elif(advance & last_of_group):
            m.d.sync += group_valid.eq(0)

        # Walk: `index` is the outer feature in the group. In a gradient `row` is the inner one; otherwise `word` is the
        # word of vectors.
        index, row = Signal.like(group.outer_count), Signal.like(group.inner_count)
        weights = Signal.like(group.weights_base)
        word, operands, results = (
            Signal.like(command.steps),
            Signal.like(command.operands),
            Signal.like(command.results),
        )
        column, strip, strip_first = Signal(range(STRIP)), Signal(range(STRIP)), Signal.like(index)
        last_index, last_word, last_column, last_row, last_strip = (
            Signal(name=name) for name in ("last_index", "last_word", "last_column", "last_row", "last_strip")
        )
        after_strip = Signal.like(index)
        m.d.comb += [
            last_index.eq(index + 1 == group.outer_count),
            last_word.eq(word + 1 >= command.steps),
            last_column.eq(column == strip),
            last_row.eq(row + 1 == group.inner_count),
            after_strip.eq(strip_first + strip + 1),
            last_strip.eq(after_strip == group.outer_count),
            last_of_group.eq(Mux(gradient, last_column & last_row & last_strip, last_index & last_word)),
        ]
        with m.If(advance & ~gradient):
            m.d.sync += index.eq(index + 1)
            with m.If(index[:index_bits].all()):
                m.d.sync += weights.eq(Mux(forward, weights + 1, weights + group.pitch.shift_left(index_bits)))
            with m.If(last_index):
                m.d.sync += [
                    index.eq(0),
                    weights.eq(group.weights_base),
                    word.eq(word + 1),
                    operands.eq(operands + command.operand_stride),
                    results.eq(results + command.result_stride),
                ]
        with m.If(advance & gradient):
            m.d.sync += [index.eq(index + 1), column.eq(column + 1)]
            with m.If(last_column):
                m.d.sync += [index.eq(strip_first), column.eq(0), row.eq(row + 1), weights.eq(weights + group.pitch)]
                with m.If(last_row):
                    m.d.sync += [
                        index.eq(after_strip),
                        strip_first.eq(after_strip),
                        strip.eq(_strip(m, group.outer_count - after_strip, "next_columns")),
                        row.eq(0),
                        weights.eq(group.weights_base),
                    ]
        with m.If(takes_entry):
            m.d.sync += [
                index.eq(0),
                word.eq(0),
                operands.eq(command.operands),
                results.eq(command.results),
                row.eq(0),
                column.eq(0),
                strip_first.eq(0),
                strip.eq(_strip(m, entry.outer_count, "first_columns")),
                weights.eq(entry.weights_base),
            ]

        gradient_bank, gradient_row = Signal(index_bits), Signal.like(weights)
        m.d.comb += [gradient_bank.eq(row + index), gradient_row.eq(weights + index[index_bits:])]
        slot = raw.slot
        m.d.comb += [
            raw.end.eq(finished),
            raw.product.eq(command.product),
            raw.blocks.eq(command.blocks),
            raw.new_slot.eq(Mux(gradient, column == 0, index[:index_bits] == 0)),
            slot.place.eq(group.inner_start),
            slot.count.eq(Mux(gradient, command.steps, group.inner_count)),
            slot.base.eq(operands),
            slot.stride.eq(command.operand_stride),
            slot.owned.eq(command.owned),
            slot.ones.eq(command.ones),
            slot.weights.eq(weights),
            slot.pitch.eq(group.pitch),
            raw.weight.eq(index),
            raw.new_column.eq(row == 0),
            raw.column.eq(column),
            raw.error.count.eq(Mux(gradient, command.steps, 0)),
            raw.error.base.eq(command.errors),
            raw.error.stride.eq(command.error_stride),
            raw.target.eq(Mux(gradient, Cat(gradient_bank, gradient_row), results)),
        ]
        outer, inner = Signal.like(group.outer_start), Signal.like(group.inner_start)
        m.d.comb += [outer.eq(group.outer_start + index), inner.eq(group.inner_start + row)]

        # Second stage: the lists have answered.
        item, item_valid = Signal(item_layout(config)), Signal()
        free = Signal()
        m.d.comb += [
            free.eq(~item_valid | self.items.ready),
            self.waiting.eq(group_valid),
            raw_ready.eq(free & (self.enable | finished)),
            self.row_list.enable.eq(advance & group_valid & ~forward),
            self.row_list.address.eq(Mux(gradient, inner, outer)),
            self.column_list.enable.eq(advance & group_valid & (forward | gradient)),
            self.column_list.address.eq(outer),
            self.items.valid.eq(item_valid),
            self.items.payload.eq(item),
            self.idle.eq(~active & ~item_valid),
        ]
        with m.If(free):
            m.d.sync += item_valid.eq(raw_valid & raw_ready)
        with m.If(advance):
            m.d.sync += item.eq(raw)
        resolved = self.items.payload
        with m.If(item.product == Product.GRADIENT):
            m.d.comb += [
                resolved.slot.place.eq(self.row_list.data),
                resolved.error.feature.eq(self.column_list.data),
            ]
        with m.Else():
            feature = Mux(item.product == Product.FORWARD, self.column_list.data, self.row_list.data)
            m.d.comb += resolved.target.eq(item.target + feature)
        return m


def _strip(m, columns, name):
    """Columns of the next strip, less one: four, unless that would leave a single one behind."""
    named = Signal(columns.shape(), name=name)
    m.d.comb += named.eq(columns)
    few = Signal(2, name=f"{name}_few")
    with m.Switch(named):
        for count in range(1, STRIP):
            with m.Case(count):
                m.d.comb += few.eq(count - 1)
        with m.Case(STRIP + 1, STRIP + 2):
            m.d.comb += few.eq(2)
        with m.Default():
            m.d.comb += few.eq(STRIP - 1)
    return few
