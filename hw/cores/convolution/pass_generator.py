"""Cuts matrix products into passes of the systolic array."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import layout_without, take_fields
from .commands import Dataflow
from .gemm_config import GemmEngineConfig
from .layouts import command_layout, pass_layout

__all__ = ["PassGenerator"]


class PassGenerator(ConfiguredComponent):
    """For each column block of P2 columns (channels; of IS pixels) the row blocks of P1 rows (products; of NS pixels).

    A command without pixels, products or channels, or of an unknown dataflow, is an empty pass.

    Latency: the first pass comes a cycle after its command. Throughput: a pass a cycle. Back-pressure: a command is
    taken when the last pass of the one before is.

    Parameters
    ----------
    config : GemmEngineConfig

    Members
    -------
    commands : In(stream.Signature(command_layout))
    passes : Out(stream.Signature(pass_layout))
    unknown : Out(1)
        The command that is taken in this cycle is of an unknown dataflow.
    """

    def __init__(self, config: GemmEngineConfig):
        super().__init__(
            config,
            {
                "commands": In(stream.Signature(command_layout(config))),
                "passes": Out(stream.Signature(pass_layout(config))),
                "unknown": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, array = self._config, self._config.array
        given, made = self.commands.payload, self.passes.payload
        # Rows are counted on from the first.
        command = Signal(layout_without(given.shape(), "input_row", "weight_row", "sum_row"))
        busy, empty = Signal(), Signal()
        # Rows and columns that are left, this block's included.
        rows_left = Signal(max(config.size_width, config.depth_width))
        columns_left = Signal(config.size_width)
        first_block = Signal()
        last_rows, last_columns, taken = Signal(), Signal(), Signal()
        m.d.comb += [
            last_rows.eq(rows_left <= array.rows),
            last_columns.eq(columns_left <= array.columns),
            taken.eq(self.passes.valid & self.passes.ready),
            self.commands.ready.eq(~busy | (taken & made.final)),
            self.passes.valid.eq(busy),
            made.stationary.eq(command.dataflow != Dataflow.NON_STATIONARY),
            made.input_stationary.eq(command.dataflow == Dataflow.INPUT_STATIONARY),
            made.input_half.eq(command.input_half),
            made.weight_half.eq(command.weight_half),
            made.input_stride.eq(command.input_stride),
            made.empty.eq(empty),
            made.count.eq(Mux(last_rows, rows_left, array.rows)),
            made.lanes.eq(Mux(last_columns, columns_left, array.columns)),
            made.clear.eq(~command.accumulate & (first_block | ~made.stationary)),
            made.final.eq(last_rows & last_columns),
        ]
        with m.Switch(command.dataflow):
            with m.Case(Dataflow.WEIGHT_STATIONARY):
                m.d.comb += made.steps.eq(command.pixels)
            with m.Case(Dataflow.INPUT_STATIONARY):
                m.d.comb += made.steps.eq(command.channels)
            with m.Default():
                m.d.comb += [
                    made.steps.eq(command.products),
                    made.slack.eq(Mux(command.products < array.chain, command.products, array.chain)),
                ]
        self._walk_rows(m, command, taken, last_rows)
        with m.If(taken):
            m.d.sync += [rows_left.eq(rows_left - array.rows), first_block.eq(0)]
            with m.If(last_rows):
                m.d.sync += [
                    rows_left.eq(Mux(made.stationary, command.products, command.pixels)),
                    columns_left.eq(columns_left - array.columns),
                    first_block.eq(1),
                ]
                with m.If(last_columns):
                    m.d.sync += busy.eq(0)
        with m.If(self.commands.valid & self.commands.ready):
            self._begin(m, command, rows_left, columns_left, empty)
            m.d.sync += [busy.eq(1), first_block.eq(1)]
        return m

    def _begin(self, m, command, rows_left, columns_left, empty):
        given = self.commands.payload
        nothing = Signal()
        m.d.comb += [
            self.unknown.eq(given.dataflow == max(Dataflow) + 1),
            nothing.eq(self.unknown | ~Cat(given[name].any() for name in ("pixels", "products", "channels")).all()),
        ]
        m.d.sync += [
            *take_fields(command, given),
            empty.eq(nothing),
            rows_left.eq(Mux(given.dataflow == Dataflow.NON_STATIONARY, given.pixels, given.products)),
            columns_left.eq(Mux(given.dataflow == Dataflow.INPUT_STATIONARY, given.pixels, given.channels)),
        ]
        with m.If(nothing):
            # One step of a pass of no rows.
            m.d.sync += [
                command.dataflow.eq(Dataflow.NON_STATIONARY),
                command.products.eq(1),
                rows_left.eq(0),
                columns_left.eq(0),
            ]

    def _walk_rows(self, m, command, taken, last_rows):
        """Rows of the memories: those of a pass, and those of the first pass of its column block."""
        config, array = self._config, self._config.array
        given, made = self.commands.payload, self.passes.payload
        # By which they go on from a row block to the next, and from a column block to the next.
        names = ("input_row", "weight_row", "sum_row")
        by_rows, by_columns = (
            {name: Signal(config.row_width, name=f"{name}_{kind}") for name in names} for kind in ("step", "jump")
        )
        with m.Switch(command.dataflow):
            with m.Case(Dataflow.WEIGHT_STATIONARY):
                m.d.comb += [
                    by_rows["input_row"].eq(command.input_stride),
                    by_rows["weight_row"].eq(command.channels),
                    by_columns["weight_row"].eq(array.columns),
                    by_columns["sum_row"].eq(command.pixels),
                ]
            with m.Case(Dataflow.INPUT_STATIONARY):
                m.d.comb += [
                    by_rows["input_row"].eq(command.input_stride),
                    by_rows["weight_row"].eq(command.channels),
                    by_columns["input_row"].eq(array.columns),
                    by_columns["sum_row"].eq(command.channels),
                ]
            with m.Default():
                m.d.comb += [
                    by_rows["input_row"].eq(array.rows),
                    by_rows["sum_row"].eq(array.rows),
                    by_columns["weight_row"].eq(command.products),
                    by_columns["sum_row"].eq(command.pixels),
                ]
        begins = self.commands.valid & self.commands.ready
        for name in names:
            row, of_block, next_block = (
                Signal(config.row_width, name=f"{kind}{name}") for kind in ("", "block_", "next_block_")
            )
            m.d.comb += [made[name].eq(row), next_block.eq(of_block + by_columns[name])]
            with m.If(begins):
                m.d.sync += [row.eq(given[name]), of_block.eq(given[name])]
            with m.Elif(taken):
                m.d.sync += row.eq(Mux(last_rows, next_block, row + by_rows[name]))
                with m.If(last_rows):
                    m.d.sync += of_block.eq(next_block)
        # Row blocks begin at multiples of the rows, column blocks of IS do not.
        step = array.columns % array.rows
        index, sum_of_two = Signal(range(array.rows)), Signal(range(2 * array.rows))
        m.d.comb += [made.input_index.eq(index), sum_of_two.eq(index + step)]
        with m.If(begins):
            m.d.sync += index.eq(0)
        with m.Elif(taken & last_rows & made.input_stationary):
            m.d.sync += index.eq(Mux(sum_of_two >= array.rows, sum_of_two - array.rows, sum_of_two))
