"""Rows for new nodes."""

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In

from ..component import ConfiguredComponent
from .config import TreeConfig
from .stage_layouts import grant_layout, place_layout
from .stage_ports import RowPort

__all__ = ["Inserter"]


class Inserter(ConfiguredComponent):
    """Takes rows for the nodes of one level, in order, from its current block, and after that from the reserve.

    The first node of the level, and one that leaves few rows, ask for blocks (``asks``, ``is_first``); the exit
    grants them. While a block is asked for and none is there, the next node waits; if none is granted, the level is
    full.

    Latency: a node is taken in the cycle of ``take``; the next one is there one cycle later, two where a block ends.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    grant : In(grant_layout)
        For one cycle.
    clear : In(1)
        No blocks, and no nodes.
    rows : In(RowPort)
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            config,
            {
                "grant": In(grant_layout(config)),
                "clear": In(1),
                "rows": In(RowPort(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        has_reserve, asked, assigned = Signal(), Signal(), Signal()
        reserve = Signal(place_layout(config))
        # Blocks are powers of two, so the rows that are left can be read off the row itself.
        position = self.rows.row.row & (config.block - 1)
        m.d.comb += [
            self.rows.waiting.eq(~self.rows.available & (has_reserve | asked | ~assigned)),
            self.rows.asks.eq(position == config.block - 1 - config.grant_threshold),
        ]
        with m.If(self.rows.take):
            m.d.sync += [self.rows.row.row.eq(self.rows.row.row + 1), self.rows.is_first.eq(0)]
            with m.If(self.rows.asks):
                m.d.sync += asked.eq(1)
            with m.If(position == config.block - 1):
                m.d.sync += self.rows.available.eq(0)
        with m.Elif(~self.rows.available & has_reserve):
            m.d.sync += [self.rows.row.eq(reserve), self.rows.available.eq(1), has_reserve.eq(0)]
        with m.If(self.grant.valid):
            with m.If(self.grant.reserve):
                m.d.sync += [reserve.eq(self.grant.node), has_reserve.eq(self.grant.given), asked.eq(0)]
            with m.Else():
                m.d.sync += [
                    self.rows.row.eq(self.grant.node),
                    self.rows.available.eq(self.grant.given),
                    assigned.eq(1),
                ]
        with m.If(self.clear):
            m.d.sync += [
                self.rows.available.eq(0),
                self.rows.is_first.eq(1),
                has_reserve.eq(0),
                asked.eq(0),
                assigned.eq(0),
            ]
        return m
