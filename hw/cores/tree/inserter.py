"""Rows for new nodes."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .config import TreeConfig
from .stage_layouts import grant_layout, place_layout

__all__ = ["Inserter"]


class Inserter(wiring.Component):
    """Takes rows for the nodes of one level, in order, from its current block, and behind that from the reserve.

    The first node of the level, and one that leaves few rows, ask for blocks (:attr:`asks`, :attr:`is_first`); the exit
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
    take : In(1)
        The node is taken; only while it is ``available``.
    clear : In(1)
        No blocks, and no nodes.
    available : Out(1)
        There is a row.
    waiting : Out(1)
        There is none, but it is not known yet whether there will be one.
    node : Out(place_layout)
        Where the next node goes.
    is_first, asks : Out(1)
        Of the next node: it is the first; it leaves so few rows that a reserve is due.
    """

    def __init__(self, config: TreeConfig):
        self._config = config
        place = place_layout(config)
        super().__init__(
            {
                "grant": In(grant_layout(config)),
                "take": In(1),
                "clear": In(1),
                "available": Out(1),
                "waiting": Out(1),
                "node": Out(place),
                "is_first": Out(1, init=1),
                "asks": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    def elaborate(self, platform):
        m = Module()
        config = self._config
        has_reserve, asked, assigned = Signal(), Signal(), Signal()
        reserve = Signal(place_layout(config))
        # Blocks are powers of two, so the rows that are left can be read off the row itself.
        position = self.node.row & (config.block - 1)
        m.d.comb += [
            self.waiting.eq(~self.available & (has_reserve | asked | ~assigned)),
            self.asks.eq(position == config.block - 1 - config.grant_threshold),
        ]
        with m.If(self.take):
            m.d.sync += [self.node.row.eq(self.node.row + 1), self.is_first.eq(0)]
            with m.If(self.asks):
                m.d.sync += asked.eq(1)
            with m.If(position == config.block - 1):
                m.d.sync += self.available.eq(0)
        with m.Elif(~self.available & has_reserve):
            m.d.sync += [self.node.eq(reserve), self.available.eq(1), has_reserve.eq(0)]
        with m.If(self.grant.valid):
            with m.If(self.grant.reserve):
                m.d.sync += [reserve.eq(self.grant.node), has_reserve.eq(self.grant.given), asked.eq(0)]
            with m.Else():
                m.d.sync += [self.node.eq(self.grant.node), self.available.eq(self.grant.given), assigned.eq(1)]
        with m.If(self.clear):
            m.d.sync += [
                self.available.eq(0),
                self.is_first.eq(1),
                has_reserve.eq(0),
                asked.eq(0),
                assigned.eq(0),
            ]
        return m
