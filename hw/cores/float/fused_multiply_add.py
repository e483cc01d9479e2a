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
from .unit import FloatUnit

__all__ = ["FloatFusedMultiplyAdd"]


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
        number_format = self._config.format
        exponent_bits, fraction_bits = number_format.exponent_bits, number_format.fraction_bits
        precision, gradual = number_format.precision, number_format.gradual
        # The larger of product and addend stands in a word as wide as the product and two bits below it, the smaller is
        # moved to the right in it. Only with more than these two is what was cut too small to matter but as sticky bit.
        below = 2
        width = 2 * precision + below

        # Multiply, and find which has the larger exponent: the product's is that of its second bit.
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
        at = stages.cut(
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

        # Align. A zero product is as small as can be. A negative distance has its magnitude, less one, as complement:
        # the product starts one place further to the right for it.
        addend_larger = Signal()
        m.d.comb += addend_larger.eq(at.distance[-1] | at.zero)
        addend = Cat(Const(0, below + fraction_bits), at.addend, Const(0, 1))
        amount, small = Signal(exponent_bits + 1), Signal(width)
        m.d.comb += [
            amount.eq(at.distance ^ at.distance[-1].replicate(exponent_bits + 1)),
            small.eq(Mux(addend_larger, Cat(Const(0, below - 1), at.product), addend)),
        ]
        amount_bits = min(len(amount), width.bit_length())
        shifted, cut = shift_right_sticky(m, small, amount[:amount_bits], "small")
        far = amount[amount_bits:].any()
        at = stages.cut(
            "align",
            large=Mux(addend_larger, addend, Cat(Const(0, below), at.product)),
            small=Mux(far, 0, shifted),
            sticky=Mux(far, small.any(), cut),
            exponent=Mux(addend_larger, at.addend_exponent, at.exponent),
            differ=at.sign ^ at.addend_sign,
            sign=Mux(addend_larger, at.addend_sign, at.sign),
            special=at.special,
            special_sign=at.special_sign,
            invalid=at.invalid,
        )

        # Sum. Without the one that completes the complement of the smaller, a negative difference has its magnitude as
        # complement, while a positive one is too small by one, unless what was cut is taken from it.
        full, total = Signal(width + 1), Signal(width + 2)
        negative, one_more = Signal(), Signal()
        m.d.comb += [
            full.eq(at.large + (at.small ^ at.differ.replicate(width))),
            negative.eq(at.differ & ~full[-1]),
            one_more.eq(at.differ & full[-1] & ~at.sticky),
            total.eq(Cat(one_more | at.sticky, full[:-1] ^ negative.replicate(width), full[-1] & ~at.differ)),
        ]
        marker = Signal(width + 2)
        if gradual:
            # No further than to the exponent of subnormal numbers.
            m.d.comb += [
                marker[-2 - place].eq(at.exponent == place)
                for place in range(1, min(width + 1, 1 << exponent_bits + 1))
            ]
        at = stages.cut(
            "sum",
            total=total,
            marked=total | marker,
            one_more=one_more,
            exponent=at.exponent[: exponent_bits + 1],
            differ=at.differ,
            sign=at.sign ^ negative,
            special=at.special,
            special_sign=at.special_sign,
            invalid=at.invalid,
        )

        # Count
        count, none = leading_zeros(m, at.marked, "marked")
        at = stages.cut(
            "count",
            total=at.total,
            one_more=at.one_more,
            count=count,
            none=none,
            sign=at.sign & ~(at.differ & ~at.total.any()),
            **_named(at, "exponent", "special", "special_sign", "invalid"),
        )

        # Normalise; the exponent field lacks what the leading one adds.
        base = Signal(signed(exponent_bits + 3))
        m.d.comb += base.eq(at.exponent + 1 - at.count)
        at = stages.cut(
            "normal",
            normal=shift_left(m, at.total, at.count, "total", fill=at.one_more),
            base=base,
            none=at.none,
            **_named(at, "one_more", "sign", "special", "special_sign", "invalid"),
        )
        nothing, above = Signal(), Signal()
        if gradual:
            m.d.comb += nothing.eq(at.none)
        else:
            # With the one that is missing it may just reach the smallest normal number.
            reached = at.base.all() & at.one_more & at.normal[:-1].all()
            m.d.comb += nothing.eq(at.none | at.base[-1] & ~reached)
        m.d.comb += above.eq(~nothing & ~at.base[-1] & (at.base[exponent_bits] | at.base[1:exponent_bits].all()))
        packed = round_and_pack(m, number_format, at.base, at.normal[-1], at.normal[:-1], at.one_more)
        at = stages.cut(
            "result",
            magnitude=Mux(at.special | above, special(number_format, at.invalid), Mux(nothing, 0, packed)),
            sign=Mux(at.special, at.special_sign & ~at.invalid, at.sign),
        )
        nonfinite = at.magnitude[fraction_bits:].all()
        return {"result": Cat(at.magnitude, at.sign), "nonfinite": nonfinite}


def _named(values, *names):
    return {name: getattr(values, name) for name in names}
