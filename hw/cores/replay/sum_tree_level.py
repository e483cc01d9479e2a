"""One level of a sum tree."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..pipeline import delay
from .child_finder import ChildFinder
from .config import SumTreeConfig
from .layouts import changes, clear_layout, node_layout, travelling_layout
from .level_component import LevelComponent

__all__ = ["SumTreeLevel"]


class SumTreeLevel(LevelComponent):
    """Holds the nodes of a level, and passes requests on to the next one.

    A node is kept as prefix sums: word a is the sum of all leaves below children 0 to a. So a sample needs one
    comparison a child and no sum of siblings (:class:`.child_finder.ChildFinder`). An update adds its amount to the
    words from its child on.

    A node is written in the cycle in which it is there. A request that has begun to read it by then, in whatever lane,
    gets what is written, forwarded by the memory; distributed RAM is read in that cycle alone, after all writes
    before. So each request finds what all before it have left, without a stall.

    ::

        arriving -> read of the node -> child, amount that is left -> leaving
                          ^   |
                          |   `-> sums from the child on + amount -.
                          `------------- write --------------------'

    Latency: ``config.level_latency(level)``, 3 or 4 cycles. Throughput: a request a cycle and lane. No back-pressure.

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

    def __init__(self, config: SumTreeConfig, level: int):
        super().__init__(
            config,
            level,
            {
                "arriving": In(travelling_layout(config, level)).array(config.lanes),
                "leaving": Out(travelling_layout(config, level + 1)).array(config.lanes),
                "clear": In(clear_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, level = self._config, self._level
        rows, latency = config.rows(level), config.read_latency(level)
        m.submodules.nodes = nodes = Memory(
            node_layout(config, level),
            MemoryConfig(depth=rows, readers=config.lanes, latency=latency, hazard="forward" if latency else "old"),
        )
        finders = [ChildFinder(config, level) for _ in range(config.lanes)]
        for lane, finder in enumerate(finders):
            m.submodules[f"finder_{lane}"] = finder
            wiring.connect(m, finder.nodes, nodes.reads[lane])
            m.d.comb += [finder.arriving.eq(self.arriving[lane]), self.leaving[lane].eq(finder.leaving)]

        # Enables and sources of the write are registered in the cycle before the node arrives. Nodes are cleared only
        # while no request is in the level.
        digit, request, node = config.digit(level), finders[0].request, nodes.reads[0].data
        children = config.children(level)
        before = delay(m, Value.cast(self.arriving[0]), max(1, latency) - 1, "before", reset_less=False)
        before = travelling_layout(config, level)(before)
        clear, clears, grows = Signal(), Signal(), Signal(children)
        m.d.comb += clear.eq(self.clear.valid & (self.clear.row < rows))
        m.d.sync += [
            clears.eq(clear),
            grows.eq(Cat(before.index[digit] <= child for child in range(children))),
            nodes.write.enable.eq(clear | (before.valid & changes(before))),
            nodes.write.address.eq(Mux(clear, self.clear.row, before.index >> digit.stop)),
        ]
        for child in range(children):
            added = Signal(config.sum_width(level), name=f"sum_{child}")
            m.d.comb += [
                added.eq(node[child] + Mux(grows[child], request.amount, 0)),
                nodes.write.data[child].eq(Mux(clears, 0, added)),
            ]
        return m
