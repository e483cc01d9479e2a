"""One level of a sum tree."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .config import SumTreeConfig
from .layouts import changes, clear_layout, samples, travelling_layout

__all__ = ["SumTreeLevel"]


class SumTreeLevel(wiring.Component):
    """Holds the nodes of a level, and passes requests on to the next one.

    A node is kept as prefix sums: word a is the sum of all leaves below children 0 to a. So a sample needs one
    comparison a child and no sum of siblings: it goes to the first child whose word reaches its amount, and takes the
    word before off. An update adds its amount to the words from its child on. Behind the last level a sample
    has its leaf's priority, the difference of two words.

    A node is read in one cycle and written in the next; who reads it just then gets what is written. So each request
    finds what all before it have left, without a stall.

    Latency: 3 cycles. Throughput: a request a cycle. No back-pressure.

    Parameters
    ----------
    config : SumTreeConfig
    level : int
        0 is the root's.

    Members
    -------
    arriving : In(travelling_layout of the level)
    leaving : Out(travelling_layout of the next level)
    clear : In(clear_layout)
        Not while a request is here. Rows that the level does not have are left.

    Source
    ------
    Meng's dissertation, sections 2.1.1 (equation 2.1) and 4.4.1.2.
    """

    LATENCY = 3

    def __init__(self, config: SumTreeConfig, level: int):
        self._config, self._level = config, level
        super().__init__(
            {
                "arriving": In(travelling_layout(config, level)),
                "leaving": Out(travelling_layout(config, level + 1)),
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
        rows, width = config.rows(level), config.sum_width(level)
        shape = data.ArrayLayout(width, config.children(level))
        m.submodules.nodes = nodes = Memory(shape=shape, depth=rows, init=[])
        writer = nodes.write_port()
        reader = nodes.read_port(transparent_for=(writer,))

        # First the node is read.
        digit = slice(config.digit_width * (config.depth - 1 - level), config.digit_width * (config.depth - level))
        request = Signal.like(self.arriving)
        row = Signal(range(max(rows, 2)))
        m.d.comb += reader.addr.eq(self.arriving.index >> digit.stop)
        m.d.sync += [request.eq(self.arriving), row.eq(reader.addr)]

        # Then a child is found, or the node is written.
        words = [reader.data[child] for child in range(config.children(level))]
        sought = request.amount.as_unsigned()[:width]
        reaches = [Signal(name=f"reaches_{child}") for child in range(len(words))]
        m.d.comb += [bit.eq(word >= sought) for bit, word in zip(reaches, words, strict=True)]
        first = [bit & ~before for bit, before in zip(reaches, [0, *reaches], strict=False)]
        passed, word, child = Signal(width), Signal(width), Signal(range(len(words)))
        m.d.sync += [
            passed.eq(_chosen(first[1:], words)),
            word.eq(_chosen(first, words)),
            child.eq(_chosen(first, range(len(words)))),
        ]
        clears = Signal()
        m.d.comb += [
            clears.eq(self.clear.valid & (self.clear.row < rows)),
            writer.en.eq(clears | (request.valid & changes(request))),
            writer.addr.eq(Mux(clears, self.clear.row, row)),
        ]
        for place, before in enumerate(words):
            added = Signal(width, name=f"sum_{place}")
            m.d.comb += [
                added.eq(before + Mux(request.index[digit] <= place, request.amount, 0)),
                writer.data[place].eq(Mux(clears, 0, added)),
            ]

        # Then what is left to look for.
        chosen = Signal.like(self.arriving)
        m.d.sync += chosen.eq(request)
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


def _chosen(bits, values):
    """The value whose bit is 1, of values of one width; 0 if none is."""
    return reduce(or_, (Mux(bit, value, 0) for bit, value in zip(bits, values, strict=False)), Cat())
