"""Addition and subtraction."""

from amaranth.hdl import Cat, Const, Mux, Signal, signed
from amaranth.lib.wiring import In, Out

from .config import FloatConfig
from .datapath import decode, leading_zeros, round_and_pack, shift_left, shift_right_sticky, special
from .nonfinite import is_nonfinite
from .unit import FloatUnit

__all__ = ["FloatAdder"]


class FloatAdder(FloatUnit):
    """Sum or difference of two numbers.

    ::

        result = a - b if subtract else a + b

    Number format: that of the configuration, rounded once, to nearest even. Infinities and NaN as in IEEE 754: opposite
    infinities give NaN, and every NaN is the quiet one with a positive sign. An exact cancellation is +0. Sums need no
    more than the format has, so subnormal results are exact; flushing saves the logic that stops at them.

    Latency: ``depth`` cycles, one operation a cycle. No back-pressure. The best single cut is after the alignment; with
    four stages and their result fed back, four interleaved sums accumulate back to back.

    Parameters
    ----------
    config : FloatConfig

    Members
    -------
    a, b : In(width)
        Bit patterns.
    subtract : In(1)
    result : Out(width)
    nonfinite : Out(1)
        The result is infinite or NaN.

    Source
    ------
    IEEE 754-2019, sections 5.4.1 and 6; the single-path adder of the textbooks, its cuts moved to where they balance.
    """

    PLACES = (
        (),
        ("result",),
        ("align", "result"),
        ("swap", "count", "result"),
        ("swap", "align", "count", "result"),
        ("swap", "align", "sum", "count", "result"),
        ("operands", "swap", "align", "sum", "count", "result"),
    )

    def __init__(self, config: FloatConfig):
        width = config.format.width
        super().__init__(
            config, {"a": In(width), "b": In(width), "subtract": In(1), "result": Out(width), "nonfinite": Out(1)}
        )

    def datapath(self, m, stages):
        at = stages.cut("operands", a=self.a, b=self.b, subtract=self.subtract)
        at = self._swap(m, stages, at)
        at = self._align(m, stages, at)
        at = self._sum(m, stages, at)
        at = self._count(m, stages, at)
        at = self._round(m, stages, at)
        nonfinite = is_nonfinite(self._config.format, at.magnitude)
        return {"result": Cat(at.magnitude, at.sign), "nonfinite": nonfinite}

    def _swap(self, m, stages, at):
        """The larger magnitude comes first, so that the difference is never negative."""
        b_larger, a_normal, b_normal = Signal(), Signal(), Signal()
        fraction_bits = self._config.format.fraction_bits
        m.d.comb += [
            b_larger.eq(at.a[:-1] < at.b[:-1]),
            # While they are compared, so that the alignment need not wait for it.
            a_normal.eq(at.a[fraction_bits:-1].any()),
            b_normal.eq(at.b[fraction_bits:-1].any()),
        ]
        return stages.cut(
            "swap",
            large=Mux(b_larger, at.b[:-1], at.a[:-1]),
            small=Mux(b_larger, at.a[:-1], at.b[:-1]),
            large_normal=Mux(b_larger, b_normal, a_normal),
            small_normal=Mux(b_larger, a_normal, b_normal),
            sign=Mux(b_larger, at.b[-1] ^ at.subtract, at.a[-1]),
            differ=at.a[-1] ^ at.b[-1] ^ at.subtract,
        )

    def _align(self, m, stages, at):
        """The smaller significand moves right until both have the larger exponent; two bits below and a sticky bit."""
        number_format = self._config.format
        exponent_bits = number_format.exponent_bits
        large = decode(m, number_format, Cat(at.large, at.sign), "large", at.large_normal)
        small = decode(m, number_format, Cat(at.small, at.sign), "small", at.small_normal)
        word = Cat(Const(0, 2), small.significand)
        distance = Signal(exponent_bits)
        m.d.comb += distance.eq(large.exponent - small.exponent)
        amount_bits = min(exponent_bits, len(word).bit_length())
        shifted, cut = shift_right_sticky(m, word, distance[:amount_bits], "small")
        far = distance[amount_bits:].any()
        return stages.cut(
            "align",
            large=large.significand,
            small=Mux(far, 0, shifted),
            sticky=Mux(far, ~small.zero, cut),
            sign=at.sign,
            differ=at.differ,
            exponent=large.exponent,
            special=large.special,
            # NaN is larger than infinity.
            invalid=large.nan | small.special & at.differ,
        )

    def _sum(self, m, stages, at):
        """The sum; as a difference it is the complement plus one, unless what was cut borrows that one."""
        number_format = self._config.format
        precision = number_format.precision
        carry, total = Signal(), Signal(precision + 4)
        full = Signal(precision + 4)
        differ = at.differ.replicate(precision + 3)
        m.d.comb += [
            carry.eq(at.differ & ~at.sticky),
            full.eq(Cat(Const(1, 3), at.large) + Cat(carry, Cat(at.small, Const(0, 1)) ^ differ)),
            total.eq(Cat(at.sticky, full[1:])),
        ]
        marker = Signal(precision + 3)
        if number_format.gradual:
            # Normalisation stops at the exponent of subnormal numbers.
            m.d.comb += [
                marker[-1 - place].eq(at.exponent == place)
                for place in range(1, min(precision + 3, number_format.exponent_ones))
            ]
        return stages.cut(
            "sum",
            total=total,
            marked=total[1:] | marker,
            differ=at.differ,
            sign=at.sign,
            exponent=at.exponent,
            special=at.special,
            invalid=at.invalid,
        )

    def _count(self, m, stages, at):
        """The leading zeros of the sum."""
        count, none = leading_zeros(m, at.marked, "marked")
        zero = Signal()
        m.d.comb += zero.eq(~at.total[1:].any())
        overflow = at.total[-1] & (at.exponent == self._config.format.exponent_ones - 1)
        return stages.cut(
            "count",
            total=at.total,
            count=count,
            none=none,
            sign=at.sign & ~(zero & at.differ),
            exponent=at.exponent,
            special=at.special | overflow,
            invalid=at.invalid & at.special,
        )

    def _round(self, m, stages, at):
        """The sum normalised and rounded, or what replaces it."""
        number_format = self._config.format
        normal = Signal(number_format.precision + 4)
        m.d.comb += normal.eq(shift_left(m, at.total, at.count, "total"))
        # Negative where the difference is below the normal numbers.
        base = Signal(signed(1 + max(number_format.exponent_bits, len(at.count))))
        m.d.comb += base.eq(at.exponent - at.count)
        packed = round_and_pack(m, number_format, base, normal[-1], normal[:-1])
        nothing = at.none if number_format.gradual else at.none | base[-1]
        return stages.cut(
            "result",
            magnitude=Mux(at.special, special(number_format, at.invalid), Mux(nothing, 0, packed)),
            sign=at.sign & ~at.invalid,
        )
