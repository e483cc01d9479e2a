"""A tree of floating-point adders."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..pipeline import delay
from ..replicated import replicated
from .config import AdderTreeConfig

__all__ = ["AdderTree"]


class AdderTree(wiring.Component):
    """Adds terms, neighbours first, level by level; an odd one out goes on to the next level as it is.

    ``((t0 + t1) + (t2 + t3)) + t4`` of five terms.

    Number format: ``config.arithmetic.format``, every sum rounded to nearest even.

    Latency: ``latency`` cycles, one adder a level. Throughput: a sum a cycle. No back-pressure.

    Parameters
    ----------
    config : AdderTreeConfig

    Members
    -------
    terms : In(width).array(terms)
    result : Out(width)
    """

    def __init__(self, config: AdderTreeConfig):
        self._config = config
        width = config.arithmetic.format.width
        super().__init__({"terms": In(width).array(config.terms), "result": Out(width)})

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from terms to their sum."""
        return self._config.levels * self._config.arithmetic.adder_depth

    def elaborate(self, platform):
        m = Module()
        arithmetic = self._config.arithmetic
        terms = list(self.terms)
        for level in range(self._config.levels):
            sums = []
            for place, (left, right) in enumerate(zip(terms[::2], terms[1::2], strict=False)):
                adder = replicated(FloatAdder(FloatConfig(format=arithmetic.format, depth=arithmetic.adder_depth)))
                m.submodules[f"adder_{level}_{place}"] = adder
                m.d.comb += [adder.a.eq(left), adder.b.eq(right), adder.subtract.eq(0)]
                sums.append(adder.result)
            if len(terms) % 2:
                sums.append(delay(m, terms[-1], arithmetic.adder_depth, f"odd_{level}"))
            terms = sums
        m.d.comb += self.result.eq(terms[0])
        return m
