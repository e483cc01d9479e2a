"""The rows of a group, one after another, and where their parameters are."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.ports import ReadPort
from .config import SparseConfig

__all__ = ["RowReader", "row_layout", "row_range_layout"]


def row_range_layout(config):
    """``count`` entries of the row list from ``start`` on; where the layer's parameters begin, and words of a row."""
    return data.StructLayout(
        {
            "start": range(config.row_list),
            "count": range(config.entries + 1),
            "parameter_base": range(config.parameter_words),
            "row_words": range(config.core_blocks + 1),
        }
    )


def row_layout(config):
    """A row of the layer and the address of its first word of parameters."""
    return data.StructLayout({"row": range(config.rows), "address": range(config.parameter_words)})


class RowReader(ConfiguredComponent):
    """Reads entries of the row list: row m begins at ``parameter_base + m * row_words``.

    Latency: 3 cycles from a range to its first row. Throughput: a row a cycle, while they are taken. It takes a range
    when the rows before are taken; a range is held until then.

    Parameters
    ----------
    config : SparseConfig

    Members
    -------
    ranges : stream, in, always ready
        ``row_range_layout``
    row_list : Out(ReadPort)
    rows : stream, out
        ``row_layout``
    busy : Out(1)
        Rows are under way.
    """

    def __init__(self, config: SparseConfig):
        super().__init__(
            config,
            {
                "ranges": In(stream.Signature(row_range_layout(config), always_ready=True)),
                "row_list": Out(ReadPort(range(config.rows), config.row_list)),
                "rows": Out(stream.Signature(row_layout(config))),
                "busy": Out(1),
            },
        )

    def elaborate(self, platform):
        m = Module()
        given, port = self.ranges.payload, self.row_list
        left = Signal(given.count.shape())
        parameter_base, row_words = Signal(given.parameter_base.shape()), Signal(given.row_words.shape())
        has_data, advance_data, advance_row = Signal(), Signal(), Signal()
        m.d.comb += [
            advance_row.eq(~self.rows.valid | self.rows.ready),
            advance_data.eq(~has_data | advance_row),
            port.enable.eq(advance_data & (left != 0)),
            self.busy.eq((left != 0) | has_data | self.rows.valid),
        ]
        with m.If(advance_data):
            m.d.sync += has_data.eq(left != 0)
        with m.If(port.enable):
            m.d.sync += [port.address.eq(port.address + 1), left.eq(left - 1)]
        with m.If(advance_row):
            m.d.sync += [
                self.rows.valid.eq(has_data),
                self.rows.payload.row.eq(port.data),
                self.rows.payload.address.eq(parameter_base + port.data * row_words),
            ]
        with m.If(self.ranges.valid):
            m.d.sync += [
                port.address.eq(given.start),
                left.eq(given.count),
                parameter_base.eq(given.parameter_base),
                row_words.eq(given.row_words),
            ]
        return m
