"""Multiplication and addition with one rounding."""

from amaranth.hdl import Cat, Const, Mux, Signal, signed
from amaranth.lib.wiring import In, Out

from .config import FloatConfig
from .datapath import (
    decode,
    leading_zeros,
    round_and_pack,
    shift_left,
    shift_right_sticky,
    special,
)
from .nonfinite import is_nonfinite
from .unit import FloatUnit

__all__ = ["FloatFusedMultiplyAdd"]

# Bits below the product in the word where sums are formed.
_BELOW = 2


class FloatFusedMultiplyAdd(FloatUnit):
    """Product of two numbers plus a third, rounded once.

    ::

        result = a * b + c

    Number format: that of the configuration, to nearest even. Not the bits of a multiplier and an adder, which round
    twice. Infinities and NaN as in IEEE 754: zero times infinity and opposite infinities give NaN, and every NaN is the
    quiet one with a positive sign. An exact cancellation is +0.

    Latency: ``depth`` cycles, one operation a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatConfig

    Members
    -------
    a, b, c : In(width)
        Bit patterns.
    result : Out(width)
    nonfinite : Out(1)
        The result is infinite or NaN.

    Source
    ------
    IEEE 754-2019, sections 5.4.1 and 6. Usual units move the addend along a frame of three significands; here the
    smaller of product and addend is moved, in a frame as wide as the product and two bits.
    """

    PLACES = (
        (),
        ("result",),
        ("align", "result"),
        ("align", "count", "result"),
        ("product", "align", "count", "result"),
        ("product", "align", "sum", "count", "result"),
        ("product", "align", "sum", "count", "normal", "result"),
    )

    def __init__(self, config: FloatConfig):
        width = config.format.width
        ports = {"a": In(width), "b": In(width), "c": In(width), "result": Out(width), "nonfinite": Out(1)}
        super().__init__(config, ports)

    def datapath(self, m, stages):
        at = self._multiply(m, stages)
        at = self._align(m, stages, at)
        at = self._sum(m, stages, at)
        at = self._count(m, stages, at)
        at = self._normalise(m, stages, at)
        at = self._round(m, stages, at)
        nonfinite = is_nonfinite(self._config.format, at.magnitude)
        return {"result": Cat(at.magnitude, at.sign), "nonfinite": nonfinite}

    @property
    def _width(self):
        """Bits of the word that has the larger of product and addend: the product and two bits below it.

        The smaller moves right in it. Only with these two is what is cut too small to matter but as a sticky bit.
        """
        return 2 * self._config.format.precision + _BELOW

    def _multiply(self, m, stages):
        """The product, and how far its exponent, that of its second bit, is above the addend's."""
        number_format = self._config.format
        exponent_bits, precision = number_format.exponent_bits, number_format.precision
        a, b, c = (decode(m, number_format, bits, name) for name, bits in (("a", self.a), ("b", self.b), ("c", self.c)))
        zero = a.zero | b.zero
        product = Signal(2 * precision)
        exponent, distance = Signal(signed(exponent_bits + 2)), Signal(signed(exponent_bits + 3))
        m.d.comb += [
            product.eq(a.significand * b.significand),
            exponent.eq(a.exponent + b.exponent - number_format.bias),
            distance.eq(exponent - c.exponent),
        ]
        infinite = (a.special | b.special) & ~a.nan & ~b.nan
        sign = a.sign ^ b.sign
        return stages.cut(
            "product",
            product=product,
            addend=c.significand,
            exponent=exponent,
            addend_exponent=c.exponent,
            distance=distance,
            zero=zero,
            sign=sign,
            addend_sign=c.sign,
            special=a.special | b.special | c.special,
            special_sign=Mux(infinite, sign, c.sign),
            invalid=a.nan
            | b.nan
            | c.nan
            | (a.special | b.special) & zero
            | (a.special | b.special) & c.special & (sign ^ c.sign),
        )

    def _align(self, m, stages, at):
        """The smaller moves right; a zero product is as small as can be.

        A negative distance has its magnitude, less one, as complement: the product starts one place further to the
        right for it.
        """
        number_format, width = self._config.format, self._width
        exponent_bits, fraction_bits = number_format.exponent_bits, number_format.fraction_bits
        addend_larger = Signal()
        m.d.comb += addend_larger.eq(at.distance[-1] | at.zero)
        addend = Cat(Const(0, _BELOW + fraction_bits), at.addend, Const(0, 1))
        amount, small = Signal(exponent_bits + 1), Signal(width)
        m.d.comb += [
            amount.eq(at.distance ^ at.distance[-1].replicate(exponent_bits + 1)),
            small.eq(Mux(addend_larger, Cat(Const(0, _BELOW - 1), at.product), addend)),
        ]
        amount_bits = min(len(amount), width.bit_length())
        shifted, cut = shift_right_sticky(m, small, amount[:amount_bits], "small")
        far = amount[amount_bits:].any()
        return stages.cut(
            "align",
            large=Mux(addend_larger, addend, Cat(Const(0, _BELOW), at.product)),
            small=Mux(far, 0, shifted),
            sticky=Mux(far, small.any(), cut),
            exponent=Mux(addend_larger, at.addend_exponent, at.exponent),
            differ=at.sign ^ at.addend_sign,
            sign=Mux(addend_larger, at.addend_sign, at.sign),
            special=at.special,
            special_sign=at.special_sign,
            invalid=at.invalid,
        )

    def _sum(self, m, stages, at):
        """The sum, as sign and magnitude.

        Without the one that completes the complement of the smaller, a negative difference has its magnitude as
        complement, while a positive one is too small by one, unless what was cut is taken from it.
        """
        number_format, width = self._config.format, self._width
        full, total = Signal(width + 1), Signal(width + 2)
        negative, one_more = Signal(), Signal()
        m.d.comb += [
            full.eq(at.large + (at.small ^ at.differ.replicate(width))),
            negative.eq(at.differ & ~full[-1]),
            one_more.eq(at.differ & full[-1] & ~at.sticky),
            total.eq(Cat(one_more | at.sticky, full[:-1] ^ negative.replicate(width), full[-1] & ~at.differ)),
        ]
        marker = Signal(width + 2)
        if number_format.gradual:
            # Normalisation stops at the exponent of subnormal numbers.
            m.d.comb += [
                marker[-2 - place].eq(at.exponent == place)
                for place in range(1, min(width + 1, 1 << number_format.exponent_bits + 1))
            ]
        return stages.cut(
            "sum",
            total=total,
            marked=total | marker,
            one_more=one_more,
            exponent=at.exponent[: number_format.exponent_bits + 1],
            differ=at.differ,
            sign=at.sign ^ negative,
            special=at.special,
            special_sign=at.special_sign,
            invalid=at.invalid,
        )

    def _count(self, m, stages, at):
        """The leading zeros of the sum."""
        count, none = leading_zeros(m, at.marked, "marked")
        return stages.cut(
            "count",
            total=at.total,
            one_more=at.one_more,
            count=count,
            none=none,
            sign=at.sign & ~(at.differ & ~at.total.any()),
            **_named(at, "exponent", "special", "special_sign", "invalid"),
        )

    def _normalise(self, m, stages, at):
        """The leading one at the top; the exponent field lacks what it adds, and is negative below normal numbers."""
        base = Signal(signed(1 + max(self._config.format.exponent_bits + 2, len(at.count))))
        m.d.comb += base.eq(at.exponent + 1 - at.count)
        return stages.cut(
            "normal",
            normal=shift_left(m, at.total, at.count, "total", fill=at.one_more),
            base=base,
            none=at.none,
            **_named(at, "one_more", "sign", "special", "special_sign", "invalid"),
        )

    def _round(self, m, stages, at):
        """The sum rounded, or what replaces it."""
        number_format = self._config.format
        exponent_bits = number_format.exponent_bits
        nothing, above = Signal(), Signal()
        if number_format.gradual:
            m.d.comb += nothing.eq(at.none)
        else:
            # With the one that is missing it may just reach the smallest normal number.
            reached = at.base.all() & at.one_more & at.normal[:-1].all()
            m.d.comb += nothing.eq(at.none | at.base[-1] & ~reached)
        m.d.comb += above.eq(~nothing & ~at.base[-1] & (at.base[exponent_bits] | at.base[1:exponent_bits].all()))
        packed = round_and_pack(m, number_format, at.base, at.normal[-1], at.normal[:-1], at.one_more)
        return stages.cut(
            "result",
            magnitude=Mux(at.special | above, special(number_format, at.invalid), Mux(nothing, 0, packed)),
            sign=Mux(at.special, at.special_sign & ~at.invalid, at.sign),
        )


def _named(values, *names):
    return {name: getattr(values, name) for name in names}
