"""One sample's way through a level of a sum tree."""

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import In, Out

from ..bits import choose_one_hot
from ..memory.ports import ReadPort
from ..pipeline import delay
from .config import SumTreeConfig
from .layouts import node_layout, samples, travelling_layout
from .level_component import LevelComponent

__all__ = ["ChildFinder"]


class ChildFinder(LevelComponent):
    """Finds the child of a node that a sample goes on with: the first one whose prefix sum reaches its amount.

    The amount that is left is what the child before does not have. After the last level a sample has its leaf's
    priority, the difference of two prefix sums. Other requests pass.

    Latency: ``config.level_latency(level)``, 3 or 4 cycles. Throughput: a request a cycle. No back-pressure.

    Parameters
    ----------
    config : SumTreeConfig
    level : int
        0 is the root's.

    Members
    -------
    arriving : In(travelling_layout of the level)
    nodes : Out(ReadPort(node_layout of the level, rows, read_latency))
    request : Out(travelling_layout of the level)
        The one whose node is there.
    leaving : Out(travelling_layout of the next level)

    Source
    ------
    Meng's dissertation, sections 2.1.1 (equation 2.1) and 4.4.1.2.
    """

    def __init__(self, config: SumTreeConfig, level: int):
        nodes = ReadPort(node_layout(config, level), config.rows(level), config.read_latency(level))
        super().__init__(
            config,
            level,
            {
                "arriving": In(travelling_layout(config, level)),
                "nodes": Out(nodes),
                "request": Out(travelling_layout(config, level)),
                "leaving": Out(travelling_layout(config, level + 1)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, level = self._config, self._level
        width, digit = config.sum_width(level), config.digit(level)

        # First the node is read.
        request, latency = self.request, config.read_latency(level)
        arrived = delay(m, Value.cast(self.arriving), max(1, latency), "arriving", reset_less=False)
        m.d.comb += Value.cast(request).eq(arrived)
        asks = self.arriving if latency else request
        m.d.comb += [self.nodes.enable.eq(asks.valid), self.nodes.address.eq(asks.index >> digit.stop)]

        # Then a child is found.
        node = [self.nodes.data[child] for child in range(config.children(level))]
        sought = request.amount.as_unsigned()[:width]
        reaches = [Signal(name=f"reaches_{child}") for child in range(len(node))]
        m.d.comb += [bit.eq(word >= sought) for bit, word in zip(reaches, node, strict=True)]
        first = Signal(len(node), reset_less=True)
        m.d.sync += first.eq(Cat(bit & ~before for bit, before in zip(reaches, [Const(0), *reaches], strict=False)))

        # Then what is left to look for.
        chosen = Signal.like(request)
        m.d.sync += chosen.eq(request)
        words = [delay(m, word, 1, f"word_{child}") for child, word in enumerate(node)]
        passed, word, child = Signal(width), Signal(width), Signal(range(len(words)))
        m.d.comb += [
            passed.eq(choose_one_hot(first[1:], words)),
            word.eq(choose_one_hot(first, words)),
            child.eq(choose_one_hot(first, range(len(words)))),
        ]
        leaving = Signal.like(self.leaving)
        m.d.comb += [getattr(leaving, name).eq(getattr(chosen, name)) for name in ("valid", "kind", "status")]
        m.d.comb += [leaving.index.eq(chosen.index), leaving.priority.eq(chosen.priority)]
        is_last = level == config.depth - 1
        if not is_last:
            m.d.comb += leaving.amount.eq(chosen.amount)
        with m.If(samples(chosen)):
            m.d.comb += Value.cast(leaving.index)[digit].eq(child)
            if is_last:
                m.d.comb += leaving.priority.eq(word - passed)
            else:
                m.d.comb += leaving.amount.eq(chosen.amount - passed)
        m.d.sync += self.leaving.eq(leaving)
        return m
