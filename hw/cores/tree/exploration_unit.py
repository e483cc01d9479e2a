"""The exploration factor of a node's visits."""

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..fixed.arithmetic import saturate
from ..pipeline import delay
from .config import COEFFICIENT_FRACTION, COEFFICIENT_WIDTH, VISIT_WIDTH, TreeConfig
from .count_table import CountTable
from .functions import logarithm_root_table, root_table

__all__ = ["ExplorationUnit"]


class ExplorationUnit(ConfiguredComponent):
    """Computes g = c * sqrt(ln N), or with ``"puct_root"`` g = c * sqrt(N), of a node's visits N; 0 if N = 0.

    With ``"puct_visits"`` it is g = c * sqrt(N + 1), which is never 0 for that. A node from which a child is chosen has
    at most 65 534 visits, as every one of the tree's 65 535 selections is one at most; N + 1 = 65 536, after
    the last one, counts as 1, and nobody reads that g.

    ``g = (c * root) >> 12``, rounded down and saturated to 22 bits (26 with the root of a count), 16 of them
    fraction; the root is that of the tables (docs/mcts.md), with ``n = 2**e * m`` that of the count
    ``sqrt(m) << e // 2``, sqrt(2 m) where e is odd.

    Latency: 9 cycles (normalisation 2, table 4, shift, product, saturation 1 each), 10 with ``"puct_visits"`` (the sum
    1); one node a cycle. No back-pressure.

    Parameters
    ----------
    config : TreeConfig
        The policy counts.

    Members
    -------
    visits : In(16)
        N.
    coefficient : In(16)
        c, 12 fraction bits; it does not change while a node is under way.
    exploration : Out(exploration_width)
        g.
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            config,
            {
                "visits": In(VISIT_WIDTH),
                "coefficient": In(COEFFICIENT_WIDTH),
                "exploration": Out(config.exploration_width),
            },
        )

    @property
    def latency(self):
        """Cycles from visits to exploration."""
        return 9 + self._config.explores_first

    def elaborate(self, platform):
        m = Module()
        of_count, count = self._config.explores_by_count, self.visits
        if self._config.explores_first:
            count = Signal(VISIT_WIDTH, reset_less=True)
            m.d.sync += count.eq(self.visits + 1)
        m.submodules.table = table = CountTable(root_table() if of_count else logarithm_root_table(), VISIT_WIDTH)
        m.d.comb += table.count.eq(count)
        half_exponent = table.exponent[1:] if of_count else 0
        root = Signal(len(table.result) + (7 if of_count else 0), reset_less=True)
        product = Signal(len(root) + COEFFICIENT_WIDTH, reset_less=True)
        exploration = Signal(self._config.exploration_width, reset_less=True)
        saturated, _ = saturate(product[COEFFICIENT_FRACTION:], len(exploration), is_signed=False)
        m.d.sync += [
            root.eq(table.result << half_exponent),
            product.eq(root * self.coefficient),
            exploration.eq(saturated),
        ]
        if of_count and not self._config.explores_first:
            # No visits are looked up as one. Its logarithm is 0 anyway, its root is not.
            visited = Signal()
            m.d.comb += visited.eq(self.visits.any())
            with m.If(~delay(m, visited, self.latency - 1, "visited")):
                m.d.sync += exploration.eq(0)
        m.d.comb += self.exploration.eq(exploration)
        return m
