"""Sums of the cores' words of rows, in the order of the cores."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..replicated import replicated
from .grouping_gradient_config import GroupingGradientConfig
from .grouping_sums import grouping_word

__all__ = ["RowSums"]


class RowSums(ConfiguredComponent):
    """Adds up the words of all cores, lane by lane: ``(s_0 + s_1) + s_2 + ...``, s_c being core c's.

    Number format: the configuration's; every sum is rounded.

    Latency: ``(cores - 1) * (adder_depth + 1) + 1`` cycles from the last core's word to the sum. One word at a time:
    the cores' words are taken with the sum.

    Parameters
    ----------
    config : GroupingGradientConfig

    Members
    -------
    words : streams, in, array of ``cores``
        ``grouping_word`` of the same places in all cores.
    rows : stream, out
        ``grouping_word``
    """

    def __init__(self, config: GroupingGradientConfig):
        word = stream.Signature(grouping_word(config))
        super().__init__(config, {"words": In(word).array(config.sparse.cores), "rows": Out(word)})

    def elaborate(self, platform):
        m = Module()
        config, depth = self.config, self.config.adder_depth
        cores, banks, width = config.sparse.cores, config.sparse.banks, config.format.width
        total, addend = (Signal(data.ArrayLayout(width, banks), name=name) for name in ("total", "addend"))
        core, cycle = Signal(range(cores + 1)), Signal(range(depth + 1))
        everyone = Cat(words.valid for words in self.words).all()
        m.d.comb += [
            self.rows.payload.eq(self.words[0].payload),
            self.rows.payload.sums.eq(total),
            *(words.ready.eq(self.rows.valid & self.rows.ready) for words in self.words),
        ]
        with m.FSM(name="cores"):
            with m.State("FIRST"):
                m.d.sync += [total.eq(self.words[0].payload.sums), core.eq(1), cycle.eq(0)]
                with m.If(everyone):
                    m.next = "TAKE" if cores == 1 else "ADD"
            with m.State("ADD"):
                m.d.sync += cycle.eq(cycle + 1)
                with m.If(cycle == depth):
                    m.d.sync += [cycle.eq(0), core.eq(core + 1)]
                    with m.If(core == cores - 1):
                        m.next = "TAKE"
            with m.State("TAKE"):
                m.d.comb += self.rows.valid.eq(1)
                with m.If(self.rows.ready):
                    m.next = "FIRST"
        if cores == 1:
            return m
        with m.Switch(core):
            for number, words in enumerate(self.words):
                with m.Case(number):
                    m.d.comb += addend.eq(words.payload.sums)
        adder_config = FloatConfig(format=config.format, depth=depth)
        for lane in range(banks):
            m.submodules[f"adder_{lane}"] = adder = replicated(FloatAdder(adder_config), name="adder")
            m.d.comb += [adder.a.eq(total[lane]), adder.b.eq(addend[lane])]
            with m.If(cycle == depth):
                m.d.sync += total[lane].eq(adder.result)
        return m
