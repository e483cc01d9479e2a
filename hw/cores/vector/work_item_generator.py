"""Commands to work items."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.skid_buffer import SkidBuffer
from .group_reader import GroupReader
from .group_walks import FeatureWalk, PairWalk
from .matrix_config import MatrixConfig, Product
from .matrix_layouts import command_layout, group_layout, list_port, table_port, work_item_layout

__all__ = ["WorkItemGenerator"]


class WorkItemGenerator(ConfiguredComponent):
    """Turns a command into its work items, in order.

    ::

        commands ──> GroupReader ──> FeatureWalk or PairWalk ──> row list, column list ──> work items
                          │
                     group tables

    * Forward and backward (:class:`.FeatureWalk`): ``weight_banks`` outer features are a *segment*, whose weights are
      read together: it takes an operand slot.
    * Weight gradient (:class:`.PairWalk`): every row of a column block takes an operand slot, every column an error
      slot.

    Groups without outer features are skipped, and in weight gradients and with ``skip_empty`` also those without inner
    ones. After the last work item of a command comes one with ``end``.

    Throughput: a work item a cycle; a group costs no cycle of its own, one that is skipped one. Latency: 4 cycles from
    a command to its first work item. Back-pressure: a work item waits as long as it takes.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    commands : In(stream.Signature(command_layout(config)))
    work_items : Out(stream.Signature(work_item_layout(config)))
    read_tables, read_row_list, read_column_list : Out(ReadPort)
        Forward products read the column list, backward ones the row list, gradients both.
    product : Out
        The kind of the command that is being walked.
    waiting : Out(1)
        A work item of that kind wants to read a list.
    enable : In(1)
        It may.
    idle : Out(1)
        There is no command and no work item.

    Source
    ------
    LearningGroup, sections III-B and III-C: index list and workloads there, lists and counts here.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(command_layout(config))),
                "work_items": Out(stream.Signature(work_item_layout(config))),
                "read_tables": Out(table_port(config)),
                "read_row_list": Out(list_port(config)),
                "read_column_list": Out(list_port(config)),
                "product": Out(work_item_layout(config)["product"].shape),
                "waiting": Out(1),
                "enable": In(1),
                "idle": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.reader = reader = GroupReader(config)
        m.submodules.features = features = FeatureWalk(config)
        m.submodules.pairs = pairs = PairWalk(config)
        wiring.connect(m, wiring.flipped(self.commands), reader.commands)
        wiring.connect(m, reader.read_tables, wiring.flipped(self.read_tables))
        # It ends the path of ready from the wave builder to the walks.
        m.submodules.skid_buffer = described = SkidBuffer(work_item_layout(config))
        wiring.connect(m, described.o, wiring.flipped(self.work_items))
        command, groups, found = reader.command, reader.groups, reader.groups.payload.group
        group, group_valid = Signal(group_layout(config)), Signal()
        gradient, last, free = Signal(), Signal(), Signal()
        start, advance, end, wanted = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            gradient.eq(command.product == Product.GRADIENT),
            last.eq(Mux(gradient, pairs.last, features.last)),
            free.eq(~described.i.valid | described.i.ready),
            # The end of a command reads no list and needs no place here.
            end.eq(groups.valid & groups.payload.end & ~group_valid & free),
            advance.eq(group_valid & free & self.enable),
            start.eq(groups.valid & ~groups.payload.end & (~group_valid | advance & last)),
            groups.ready.eq(start | end),
            wanted.eq((found.outer_count != 0) & ~((gradient | command.skip_empty) & (found.inner_count == 0))),
            self.product.eq(command.product),
            self.waiting.eq(group_valid),
            self.idle.eq(~reader.active & ~self.work_items.valid),
        ]
        with m.If(start):
            m.d.sync += [group.eq(found), group_valid.eq(wanted)]
        with m.Elif(advance & last):
            m.d.sync += group_valid.eq(0)
        for walk in (features, pairs):
            m.d.comb += [
                walk.command.eq(command),
                walk.next_group.eq(found),
                walk.start.eq(start),
                walk.group.eq(group),
                walk.advance.eq(advance),
            ]
        with m.If(free):
            m.d.sync += described.i.valid.eq(advance | end)
        work_item = self._describe(m, command, group, features, pairs)
        m.d.comb += work_item.end.eq(end)
        self._look_up(m, group, features, pairs, advance, gradient)
        self._complete(m, work_item, advance | end, described.i.payload)
        return m

    def _describe(self, m, command, group, features, pairs):
        """The work item whose turn it is, without what the lists say."""
        index_bits = self._config.weight_bank_bits
        work_item = Signal(work_item_layout(self._config), name="described")
        slot, error = work_item.slot, work_item.error
        m.d.comb += [
            work_item.product.eq(command.product),
            work_item.blocks.eq(command.blocks),
            work_item.new_slot.eq(features.index[:index_bits] == 0),
            work_item.weight.eq(features.index),
            work_item.new_column.eq(pairs.row == 0),
            work_item.column.eq(pairs.column),
            work_item.target.eq(features.results),
            slot.place.eq(group.inner_start),
            slot.count.eq(group.inner_count),
            slot.base.eq(features.operands),
            slot.stride.eq(command.operand_stride),
            slot.owned.eq(command.owned),
            slot.ones.eq(command.ones),
            slot.weights.eq(features.weights),
            slot.pitch.eq(group.pitch),
            error.base.eq(command.errors),
            error.stride.eq(command.error_stride),
        ]
        with m.If(command.product == Product.GRADIENT):
            bank, row = Signal(index_bits), Signal.like(pairs.weights)
            m.d.comb += [
                bank.eq(pairs.row + pairs.index),
                row.eq(pairs.weights + pairs.index[index_bits:]),
                work_item.new_slot.eq(pairs.column == 0),
                work_item.target.eq(Cat(bank, row)),
                slot.count.eq(command.steps),
                slot.base.eq(command.operands),
                error.count.eq(command.steps),
            ]
        return work_item

    def _look_up(self, m, group, features, pairs, advance, gradient):
        """Asks the lists for the features of the work item."""
        rows, columns, product = self.read_row_list, self.read_column_list, self.product
        m.d.comb += [
            rows.enable.eq(advance & (product != Product.FORWARD)),
            rows.address.eq(Mux(gradient, group.inner_start + pairs.row, group.outer_start + features.index)),
            columns.enable.eq(advance & (product != Product.BACKWARD)),
            columns.address.eq(group.outer_start + Mux(gradient, pairs.index, features.index)),
        ]

    def _complete(self, m, described, load, work_item):
        """The work item with the features that the lists gave."""
        held, row, column = Signal.like(described), self.read_row_list.data, self.read_column_list.data
        with m.If(load):
            m.d.sync += held.eq(described)
        m.d.comb += work_item.eq(held)
        with m.Switch(held.product):
            with m.Case(Product.GRADIENT):
                m.d.comb += [work_item.slot.place.eq(row), work_item.error.feature.eq(column)]
            with m.Case(Product.FORWARD):
                m.d.comb += work_item.target.eq(held.target + column)
            with m.Case(Product.BACKWARD):
                m.d.comb += work_item.target.eq(held.target + row)
