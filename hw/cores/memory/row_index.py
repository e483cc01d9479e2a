"""Rows modulo the lanes, without a division."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..checks import is_power_of_two
from ..component import ConfiguredComponent
from .config import TransposableConfig

__all__ = ["RowIndex"]


class RowIndex(ConfiguredComponent):
    """Row modulo lanes of rows that follow each other, as a transposable memory wants it of a row.

    Latency: none, combinational. Throughput: a row a cycle. No back-pressure.

    Parameters
    ----------
    config : TransposableConfig

    Members
    -------
    row : In(range(rows))
    taken : In(1)
        The next row is ``row + 1``; any other begins anew.
    first : In(range(lanes))
        Index of a row that does not follow the one before.
    index : Out(range(lanes))
    """

    def __init__(self, config: TransposableConfig):
        lanes = range(config.lanes)
        super().__init__(
            config, {"row": In(range(config.rows)), "taken": In(1), "first": In(lanes), "index": Out(lanes)}
        )

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes
        if is_power_of_two(lanes):
            m.d.comb += self.index.eq(self.row)
            return m
        following_row, following_index = Signal.like(self.row), Signal.like(self.index)
        m.d.comb += self.index.eq(Mux(self.row == following_row, following_index, self.first))
        with m.If(self.taken):
            m.d.sync += [
                following_row.eq(self.row + 1),
                following_index.eq(Mux(self.index == lanes - 1, 0, self.index + 1)),
            ]
        return m
