"""One level of a sum tree."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .child_finder import ChildFinder
from .config import SumTreeConfig
from .layouts import changes, clear_layout, node_layout, travelling_layout

__all__ = ["SumTreeLevel"]


class SumTreeLevel(wiring.Component):
    """Holds the nodes of a level, and passes requests on to the next one.

    A node is kept as prefix sums: word a is the sum of all leaves below children 0 to a. So a sample needs one
    comparison a child and no sum of siblings (:class:`.child_finder.ChildFinder`). An update adds its amount to the
    words from its child on.

    A node is read in one cycle and written in the next; who reads it just then, in whatever lane, gets what is written.
    So each request finds what all before it have left, without a stall.

    Latency: 3 cycles. Throughput: a request a cycle and lane. No back-pressure.

    Parameters
    ----------
    config : SumTreeConfig
    level : int
        0 is the root's.

    Members
    -------
    arriving : In(travelling_layout of the level), one a lane
        What changes a leaf comes in the first lane, alone.
    leaving : Out(travelling_layout of the next level), one a lane
    clear : In(clear_layout)
        Not while a request is here. Rows that the level does not have are left.

    Source
    ------
    Meng's dissertation, sections 2.1.1 (equation 2.1) and 4.4.1.2.
    """

    LATENCY = ChildFinder.LATENCY

    def __init__(self, config: SumTreeConfig, level: int):
        self._config, self._level = config, level
        super().__init__(
            {
                "arriving": In(travelling_layout(config, level)).array(config.lanes),
                "leaving": Out(travelling_layout(config, level + 1)).array(config.lanes),
                "clear": In(clear_layout(config)),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def level(self):
        """Its number."""
        return self._level

    @property
    def latency(self):
        """Cycles from ``arriving`` to ``leaving``."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        config, level = self._config, self._level
        rows = config.rows(level)
        m.submodules.nodes = nodes = Memory(shape=node_layout(config, level), depth=rows, init=[])
        writer = nodes.write_port()
        finders = []
        for lane in range(config.lanes):
            reader = nodes.read_port(transparent_for=(writer,))
            m.submodules[f"finder_{lane}"] = finder = ChildFinder(config, level)
            m.d.comb += [
                finder.arriving.eq(self.arriving[lane]),
                reader.addr.eq(finder.row),
                finder.node.eq(reader.data),
                self.leaving[lane].eq(finder.leaving),
            ]
            finders.append(finder)

        digit, request, node = config.digit(level), finders[0].request, finders[0].node
        clears = Signal()
        m.d.comb += [
            clears.eq(self.clear.valid & (self.clear.row < rows)),
            writer.en.eq(clears | (request.valid & changes(request))),
            writer.addr.eq(Mux(clears, self.clear.row, request.index >> digit.stop)),
        ]
        for child in range(config.children(level)):
            added = Signal(config.sum_width(level), name=f"sum_{child}")
            m.d.comb += [
                added.eq(node[child] + Mux(request.index[digit] <= child, request.amount, 0)),
                writer.data[child].eq(Mux(clears, 0, added)),
            ]
        return m
