"""A function of a visit count, from a table."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..function.polynomial import PolynomialTable
from ..function.polynomial_evaluator import PolynomialEvaluator
from ..pipeline import delay
from .count_normalizer import CountNormalizer

__all__ = ["CountTable"]


class CountTable(wiring.Component):
    """Looks up a function of ``count = 2**exponent * m``, m in [1, 2).

    The table's interval is chosen by the upper bits of m and above them, as far as the table has such intervals, by the
    lowest bits of the exponent: none, one (functions of m and of 2 m), or all (a function of the count itself).

    Latency: 6 cycles for tables of the first degree; one count a cycle. No back-pressure.

    Parameters
    ----------
    table : PolynomialTable
        One of :mod:`.functions`.
    width : int
        Bits of the count, as those of :class:`.CountNormalizer`.

    Members
    -------
    count : In(width)
    result : Out
        The table's.
    exponent : Out(range(width))
        The count's, at the same time.
    """

    def __init__(self, table: PolynomialTable, width: int):
        self._evaluator = PolynomialEvaluator(table)
        self._normalizer = CountNormalizer(width)
        super().__init__(
            {"count": In(width), "result": Out(self._evaluator.result.shape()), "exponent": Out(range(width))}
        )

    @property
    def latency(self):
        """Cycles from the count to the result."""
        return self._normalizer.latency + self._evaluator.latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.normalizer, m.submodules.evaluator = normalizer, evaluator = self._normalizer, self._evaluator
        position = evaluator.config.offset_width
        m.d.comb += [
            normalizer.count.eq(self.count),
            evaluator.offset.eq(normalizer.mantissa[:position]),
            evaluator.index.eq(Cat(normalizer.mantissa[position:], normalizer.exponent)),
            self.result.eq(evaluator.result),
            self.exponent.eq(delay(m, normalizer.exponent, evaluator.latency, "exponent")),
        ]
        return m
