"""The columns of a column block, and where in the output pictures they belong."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import FractionalConvolutionConfig
from .layouts import column_command, column_layout

__all__ = ["ColumnWalk"]


class ColumnWalk(ConfiguredComponent):
    """Walks over the columns of a pass, a column a cycle, and hands them out block by block.

    Columns are kernel elements by channels, so those of a kernel row have positions one after the other, and with the
    next kernel row ``row_skip`` rows of the scratchpad are jumped over. After the last column of a pass its last block
    is filled with columns that are not valid.

    Latency: N + 2 cycles from a command to its first block in an idle walk. Throughput: a block in N cycles; one waits
    while another is in use. A command is taken with the last column of the one before.

    Parameters
    ----------
    config : FractionalConvolutionConfig

    Members
    -------
    commands : In(stream.Signature(column_command(config)))
    next : In(1)
        The block that waits is in use from the next cycle on; it must be complete.
    columns : Out(ArrayLayout(column_layout(config), lanes))
        The block in use.
    """

    def __init__(self, config: FractionalConvolutionConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(column_command(config))),
                "next": In(1),
                "columns": Out(data.ArrayLayout(column_layout(config), config.lanes)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes
        command, column = Signal(column_command(self._config), reset_less=True), Signal(column_layout(self._config))
        coming = [Signal(column_layout(self._config), name=f"coming_{lane}", reset_less=True) for lane in range(lanes)]
        active, full, walks, ends = Signal(), Signal(), Signal(), Signal()
        lane, last_lane, last_column, last_row = Signal(range(lanes)), Signal(), Signal(), Signal()
        m.d.comb += [
            walks.eq(active & (~full | self.next)),
            last_lane.eq(lane == lanes - 1),
            last_column.eq(column.position + 1 == command.kernel_row_columns),
            last_row.eq(column.row + 1 == command.kernel_rows),
            ends.eq(walks & last_lane & (~column.valid | last_column & last_row)),
            self.commands.ready.eq(~active | ends),
        ]
        with m.If(self.next):
            m.d.sync += [full.eq(0), *(self.columns[number].eq(waits) for number, waits in enumerate(coming))]
        with m.If(walks):
            m.d.sync += [
                *(waits.eq(behind) for waits, behind in zip(coming, [*coming[1:], column], strict=True)),
                lane.eq(lane + 1),
                column.position.eq(column.position + 1),
                column.address.eq(column.address + last_lane),
            ]
            with m.If(last_lane):
                m.d.sync += [lane.eq(0), full.eq(1)]
            with m.If(last_column):
                m.d.sync += [
                    column.position.eq(0),
                    column.row.eq(column.row + 1),
                    column.address.eq(column.address + command.row_skip + last_lane),
                ]
                with m.If(last_row):
                    m.d.sync += column.valid.eq(0)
        with m.If(ends):
            m.d.sync += active.eq(0)
        with m.If(self.commands.valid & self.commands.ready):
            m.d.sync += [active.eq(1), command.eq(self.commands.payload)]
            m.d.sync += [column.valid.eq(1), column.row.eq(0), column.position.eq(0), column.address.eq(0)]
        return m
