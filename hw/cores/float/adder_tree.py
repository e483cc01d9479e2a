"""A tree of floating-point adders."""

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..pipeline import delay
from ..replicated import replicated
from .adder import FloatAdder
from .adder_tree_config import FloatAdderTreeConfig
from .config import FloatConfig

__all__ = ["FloatAdderTree"]


class FloatAdderTree(ConfiguredComponent):
    """Sum of several numbers, neighbours first, level by level; an odd one out goes on to the next level as it is.

    ``((t0 + t1) + (t2 + t3)) + t4`` of five terms. One term is its own sum, even if it is NaN or -0.

    Number format: the configuration's, every sum rounded to nearest even.

    Latency: ``levels * depth`` cycles, a sum a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatAdderTreeConfig

    Members
    -------
    terms : In(width).array(terms)
        Bit patterns.
    result : Out(width)
    """

    def __init__(self, config: FloatAdderTreeConfig):
        width = config.format.width
        super().__init__(config, {"terms": In(width).array(config.terms), "result": Out(width)})

    @property
    def latency(self):
        """Cycles from terms to their sum."""
        return self._config.levels * self._config.depth

    def elaborate(self, platform):
        m = Module()
        config = self._config
        terms = list(self.terms)
        for level in range(config.levels):
            sums = []
            for place, (left, right) in enumerate(zip(terms[::2], terms[1::2], strict=False)):
                adder = replicated(FloatAdder(FloatConfig(format=config.format, depth=config.depth)))
                m.submodules[f"adder_{level}_{place}"] = adder
                m.d.comb += [adder.a.eq(left), adder.b.eq(right), adder.subtract.eq(0)]
                sums.append(adder.result)
            if len(terms) % 2:
                sums.append(delay(m, terms[-1], config.depth, f"odd_{level}"))
            terms = sums
        m.d.comb += self.result.eq(terms[0])
        return m
