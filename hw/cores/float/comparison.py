"""Comparison, minimum and maximum."""

from amaranth.hdl import Cat, Const, Mux, Signal
from amaranth.lib.wiring import In, Out

from .config import FloatConfig
from .datapath import decode
from .unit import FloatUnit

__all__ = ["FloatComparator"]


class FloatComparator(FloatUnit):
    """Comparison of two numbers, their minimum and their maximum.

    ``less`` is ``a < b``, ``equal`` is ``a == b``; both are 0 where either is NaN, which ``unordered`` says. -0 equals
    +0. ``minimum`` and ``maximum`` are the operations of that name in IEEE 754-2019: NaN if either is NaN, so that it
    is not lost, and -0 below +0.

    Number format: that of the configuration; nothing is rounded. Where subnormals are flushed, they come out as zeros.

    Latency: ``depth`` cycles, one operation a cycle; beyond three stages results are only delayed. No back-pressure.

    Parameters
    ----------
    config : FloatConfig

    Members
    -------
    a, b : In(width)
        Bit patterns.
    less, equal, unordered : Out(1)
    minimum, maximum : Out(width)

    Source
    ------
    IEEE 754-2019, sections 5.11 and 9.6.
    """

    PLACES = ((), ("result",), ("compare", "result"), ("operands", "compare", "result"))

    def __init__(self, config: FloatConfig):
        width = config.format.width
        ports = {"a": In(width), "b": In(width), "less": Out(1), "equal": Out(1), "unordered": Out(1)}
        super().__init__(config, {**ports, "minimum": Out(width), "maximum": Out(width)})

    def datapath(self, m, stages):
        number_format = self._config.format
        at = stages.cut("operands", a=self.a, b=self.b)
        a, b = decode(m, number_format, at.a, "a"), decode(m, number_format, at.b, "b")
        # A flushed subnormal operand is a zero.
        a_magnitude, b_magnitude = Signal(number_format.width - 1), Signal(number_format.width - 1)
        m.d.comb += [
            a_magnitude.eq(Cat(a.significand[:-1], at.a[number_format.fraction_bits : -1])),
            b_magnitude.eq(Cat(b.significand[:-1], at.b[number_format.fraction_bits : -1])),
        ]
        at = stages.cut(
            "compare",
            a=Cat(a_magnitude, a.sign),
            b=Cat(b_magnitude, b.sign),
            smaller=a_magnitude < b_magnitude,
            same=a_magnitude == b_magnitude,
            zeros=a.zero & b.zero,
            unordered=a.nan | b.nan,
        )
        below = Signal()
        m.d.comb += below.eq(Mux(at.a[-1] == at.b[-1], (at.smaller ^ at.a[-1]) & ~at.same, at.a[-1]))
        nan = Const(number_format.quiet_nan, number_format.width)
        at = stages.cut(
            "result",
            less=below & ~at.zeros & ~at.unordered,
            equal=(at.zeros | at.same & (at.a[-1] == at.b[-1])) & ~at.unordered,
            unordered=at.unordered,
            minimum=Mux(at.unordered, nan, Mux(below, at.a, at.b)),
            maximum=Mux(at.unordered, nan, Mux(below, at.b, at.a)),
        )
        return vars(at)
