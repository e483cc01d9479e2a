"""The order in which the work items of a group come."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .matrix_config import COLUMN_BLOCK, MatrixConfig, Product
from .matrix_layouts import command_layout, group_layout

__all__ = ["FeatureWalk", "PairWalk"]


def _members(config, **outputs):
    """Ports that both walks have in common, and the outputs of one."""
    group, command = group_layout(config), command_layout(config)
    return {
        "command": In(command),
        "next_group": In(group),
        "start": In(1),
        "group": In(group),
        "advance": In(1),
        "index": Out(group["outer_count"].shape),
        "weights": Out(group["weights_base"].shape),
        "last": Out(1),
        **{name: Out(shape) for name, shape in outputs.items()},
    }


class FeatureWalk(ConfiguredComponent):
    """Forward and backward: word of vectors by word of vectors, and in each word outer feature by outer feature.

    Latency: the outputs are registers; they change in the cycle after ``start`` and ``advance``. Throughput: a work
    item a cycle. No back-pressure.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    command : In(command_layout(config))
    next_group, start : In
        Begin a group in the next cycle.
    group : In(group_layout(config))
        The group that is being walked.
    advance : In(1)
        Go on to the next work item.
    index : Out
        The outer feature in its group.
    weights : Out
        The address of the weights of its segment: ``weight_banks`` neighbours, whose weights are read together.
    operands, results : Out
        The command's, for this word of vectors.
    last : Out(1)
        This work item is the last one of the group.
    """

    def __init__(self, config: MatrixConfig):
        command = command_layout(config)
        super().__init__(config, _members(config, operands=command["operands"].shape, results=command["results"].shape))

    def elaborate(self, platform):
        m = Module()
        command, group, index_bits = self.command, self.group, self._config.weight_bank_bits
        word, last_index = Signal.like(command.steps), Signal()
        m.d.comb += [
            last_index.eq(self.index + 1 == group.outer_count),
            self.last.eq(last_index & (word + 1 >= command.steps)),
        ]
        with m.If(self.advance):
            m.d.sync += self.index.eq(self.index + 1)
            with m.If(self.index[:index_bits].all()):
                ahead = Mux(command.product == Product.FORWARD, 1, group.pitch << index_bits)
                m.d.sync += self.weights.eq(self.weights + ahead)
            with m.If(last_index):
                m.d.sync += [
                    self.index.eq(0),
                    self.weights.eq(group.weights_base),
                    word.eq(word + 1),
                    self.operands.eq(self.operands + command.operand_stride),
                    self.results.eq(self.results + command.result_stride),
                ]
        with m.If(self.start):
            m.d.sync += [
                self.index.eq(0),
                self.weights.eq(self.next_group.weights_base),
                word.eq(0),
                self.operands.eq(command.operands),
                self.results.eq(command.results),
            ]
        return m


class PairWalk(ConfiguredComponent):
    """Weight gradients: column block by column block, in each row by row, and in each row column by column.

    A column block has four columns. The last one but one has three where otherwise a single column would be left: its
    rows would be read for one pair each.

    Latency: the outputs are registers; they change in the cycle after ``start`` and ``advance``. Throughput: a work
    item a cycle. No back-pressure.

    Parameters
    ----------
    config : MatrixConfig

    Members
    -------
    command : In(command_layout(config))
    next_group, start : In
        Begin a group in the next cycle.
    group : In(group_layout(config))
        The group that is being walked.
    advance : In(1)
        Go on to the next work item.
    index, row : Out
        The column and the row in their group.
    column : Out(range(4))
        The column in its column block.
    weights : Out
        The address of the row's weights.
    last : Out(1)
        This work item is the last one of the group.
    """

    def __init__(self, config: MatrixConfig):
        super().__init__(
            config, _members(config, row=group_layout(config)["inner_count"].shape, column=range(COLUMN_BLOCK))
        )

    def elaborate(self, platform):
        m = Module()
        group = self.group
        # The first column of the column block, its last one counted from there, and the first one after it.
        first, last_column, behind = Signal.like(self.index), Signal.like(self.column), Signal.like(self.index)
        row_ends, block_ends = Signal(), Signal()
        m.d.comb += [
            behind.eq(first + last_column + 1),
            row_ends.eq(self.column == last_column),
            block_ends.eq(row_ends & (self.row + 1 == group.inner_count)),
            self.last.eq(block_ends & (behind == group.outer_count)),
        ]
        with m.If(self.advance):
            m.d.sync += [self.index.eq(self.index + 1), self.column.eq(self.column + 1)]
        with m.If(self.advance & row_ends):
            m.d.sync += [
                self.index.eq(first),
                self.column.eq(0),
                self.row.eq(self.row + 1),
                self.weights.eq(self.weights + group.pitch),
            ]
        with m.If(self.advance & block_ends):
            m.d.sync += [
                self.index.eq(behind),
                first.eq(behind),
                last_column.eq(_last_column(m, group.outer_count - behind, "next_block")),
                self.row.eq(0),
                self.weights.eq(group.weights_base),
            ]
        with m.If(self.start):
            m.d.sync += [
                self.index.eq(0),
                first.eq(0),
                last_column.eq(_last_column(m, self.next_group.outer_count, "first_block")),
                self.column.eq(0),
                self.row.eq(0),
                self.weights.eq(self.next_group.weights_base),
            ]
        return m


def _last_column(m, columns, name):
    """The last column of the next column block, of so many columns that are left."""
    left, last = Signal(columns.shape(), name=f"{name}_left"), Signal(range(COLUMN_BLOCK), name=f"{name}_last")
    m.d.comb += left.eq(columns)
    with m.Switch(left):
        for count in range(1, COLUMN_BLOCK):
            with m.Case(count):
                m.d.comb += last.eq(count - 1)
        with m.Case(COLUMN_BLOCK + 1, COLUMN_BLOCK + 2):
            m.d.comb += last.eq(COLUMN_BLOCK - 2)
        with m.Default():
            m.d.comb += last.eq(COLUMN_BLOCK - 1)
    return last
