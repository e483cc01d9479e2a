"""Multiplication."""

from amaranth.hdl import Cat, Const, Mux, Signal, signed
from amaranth.lib.wiring import In, Out

from ..fixed.wide_multiplier import product_terms
from .config import FloatConfig
from .datapath import decode, leading_zeros, round_and_pack, shift_right_sticky, special
from .nonfinite import is_nonfinite
from .unit import FloatUnit

__all__ = ["FloatMultiplier"]


class FloatMultiplier(FloatUnit):
    """Product of two numbers.

    ::

        result = a * b

    Number format: that of the configuration, rounded once, to nearest even. Infinities and NaN as in IEEE 754: zero
    times infinity gives NaN, and every NaN is the quiet one with a positive sign. With subnormals, the leading zeros of
    the one operand that may have some are counted beside the multiplication, and the product is moved once, either
    way; without them there is no shifter at all.

    Latency: ``depth`` cycles, one operation a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatConfig

    Members
    -------
    a, b : In(width)
        Bit patterns.
    result : Out(width)
    nonfinite : Out(1)
        The result is infinite or NaN.

    Source
    ------
    IEEE 754-2019, sections 5.4.1 and 6.
    """

    PLACES = (
        (),
        ("result",),
        ("product", "result"),
        ("product", "normal", "result"),
        ("operands", "product", "normal", "result"),
        ("operands", "count", "product", "normal", "result"),
        ("operands", "count", "product", "normal", "round", "result"),
        # A significand of 24 bits is wider than a multiplier of most parts: their products, and then the sum of these.
        ("operands", "count", "terms", "product", "normal", "round", "result"),
    )

    def __init__(self, config: FloatConfig):
        width = config.format.width
        super().__init__(config, {"a": In(width), "b": In(width), "result": Out(width), "nonfinite": Out(1)})
        # With exponents enough, two subnormal operands give less than half of the smallest number: one at most matters.
        number_format = config.format
        self._one_subnormal = number_format.bias >= number_format.fraction_bits + 2
        self._most_zeros = number_format.fraction_bits * (1 if self._one_subnormal else 2)

    def datapath(self, m, stages):
        at = stages.cut("operands", a=self.a, b=self.b)
        at = self._decode(m, stages, at)
        at, product = self._multiply(m, stages, at)
        at = self._move(m, stages, at, product)
        at = self._normalise(m, stages, at)
        at = self._select(m, stages, at)
        at = self._round(m, stages, at)
        nonfinite = is_nonfinite(self._config.format, at.magnitude)
        return {"result": Cat(at.magnitude, at.sign), "nonfinite": nonfinite}

    def _decode(self, m, stages, at):
        """The operands apart, and their leading zeros.

        The exponent is the field of the result's if the product of the significands is below 2, less 1 where
        ``leading`` adds it.
        """
        number_format = self._config.format
        fraction_bits, gradual = number_format.fraction_bits, number_format.gradual
        a, b = decode(m, number_format, at.a, "a"), decode(m, number_format, at.b, "b")
        exponent = Signal(signed(number_format.exponent_bits + 2))
        zeros = Const(0, 1)
        if gradual and self._one_subnormal:
            subnormal = Signal(number_format.precision)
            m.d.comb += subnormal.eq(
                Cat(
                    a.fraction & (~a.normal).replicate(fraction_bits)
                    | b.fraction & (~b.normal).replicate(fraction_bits),
                    a.normal & b.normal,
                )
            )
            zeros, _ = leading_zeros(m, subnormal, "subnormal")
        elif gradual:
            zeros = leading_zeros(m, a.significand, "a")[0] + leading_zeros(m, b.significand, "b")[0]
        m.d.comb += exponent.eq(a.exponent + b.exponent - (number_format.bias + gradual))
        return stages.cut(
            "count",
            a=Cat(a.fraction, a.normal),
            b=Cat(b.fraction, b.normal),
            zeros=zeros,
            exponent=exponent,
            sign=a.sign ^ b.sign,
            zero=a.zero | b.zero,
            special=a.special | b.special,
            invalid=a.nan | b.nan | a.special & b.zero | b.special & a.zero,
        )

    def _multiply(self, m, stages, at):
        """The product of the significands, of parts of them where registers stand behind their products."""
        product = Signal(2 * self._config.format.precision)
        if not stages.stands("terms"):
            m.d.comb += product.eq(at.a * at.b)
            return at, product
        others = {name: value for name, value in vars(at).items() if name not in ("a", "b")}
        terms = product_terms(at.a, at.b)
        names = {place: "product_{}_{}".format(*place) for place in terms}
        at = stages.cut("terms", **others, **{names[place]: term for place, term in terms.items()})
        m.d.comb += product.eq(sum(getattr(at, name) << sum(place) for place, name in names.items()))
        return at, product

    def _move(self, m, stages, at, product):
        """How far the product moves."""
        number_format, most_zeros = self._config.format, self._most_zeros
        exponent_bits, precision = number_format.exponent_bits, number_format.precision
        base, distance, far = at.exponent, Const(0, 1), Const(0, 1)
        nothing, nearly_nothing = Signal(), Signal()
        if number_format.gradual:
            # How far to the right the product goes, from where it would stand with the most leading zeros.
            right_width = (most_zeros + number_format.bias - 1).bit_length()
            room, short = Signal(signed(max(exponent_bits + 3, most_zeros.bit_length() + 2))), Signal()
            by_zeros, by_exponent, right = Signal(right_width), Signal(right_width), Signal(right_width)
            base = Signal(exponent_bits + 1)
            m.d.comb += [
                room.eq(at.exponent - at.zeros),
                short.eq(room < 0),
                base.eq(Mux(short, 0, room)),
                by_zeros.eq(most_zeros - at.zeros),
                by_exponent.eq(most_zeros - at.exponent),
                right.eq(Mux(short, by_exponent, by_zeros)),
                nothing.eq(at.zero),
            ]
            amount_bits = (precision + most_zeros + 2).bit_length()
            distance, far = right[:amount_bits], right[amount_bits:].any()
        else:
            m.d.comb += [
                nothing.eq(at.zero | (at.exponent < 0)),
                nearly_nothing.eq(at.exponent == 0),
            ]
        return stages.cut(
            "product",
            product=product,
            distance=distance,
            far=far,
            base=base[: exponent_bits + 1],
            nothing=nothing,
            nearly_nothing=nearly_nothing,
            sign=at.sign,
            special=at.special,
            invalid=at.invalid,
        )

    def _normalise(self, m, stages, at):
        """The product in front of the result's places and of one more to round by, and whether it is too large.

        ``above``: by itself; ``edge``: with the carry of the significands. Bit tests, as comparisons would be carry
        chains.
        """
        number_format = self._config.format
        precision, gradual = number_format.precision, number_format.gradual
        if gradual:
            word = Cat(Const(0, self._most_zeros - precision + 2), at.product)
            shifted, sticky = shift_right_sticky(m, word, at.distance, "product")
            shifted = Mux(at.far, Const(0, precision + 2), shifted[: precision + 2])
            normal = Signal(precision + 3)
            m.d.comb += normal.eq(Cat(sticky | at.far, shifted))
        else:
            normal = at.product
        above, edge = Signal(), Signal()
        high = at.base[int(gradual) : number_format.exponent_bits]
        m.d.comb += [
            above.eq(~at.nothing & (at.base[number_format.exponent_bits] | high.all())),
            edge.eq(~at.nothing & (at.base == number_format.exponent_ones - 1 - gradual)),
        ]
        return stages.cut("normal", normal=normal, above=above, edge=edge, **_others(at))

    def _select(self, m, stages, at):
        """The leading bits of the product and those to round, by whether it is 2 or more."""
        top = at.normal[-1]
        leading = Cat(at.normal[-2] & ~top, top) if self._config.format.gradual else top
        return stages.cut(
            "round",
            # Without the leading one; in the lower position a bit of it is lost that the higher has as the last.
            rest=Mux(top, at.normal[:-1], Cat(Const(0, 1), at.normal[:-2])),
            leading=leading,
            base=at.base,
            sign=at.sign,
            special=at.special | at.above | at.edge & top,
            invalid=at.invalid,
            nothing=at.nothing | at.nearly_nothing & ~top,
        )

    def _round(self, m, stages, at):
        """The product rounded, or what replaces it."""
        number_format = self._config.format
        packed = round_and_pack(m, number_format, at.base, at.leading, at.rest)
        return stages.cut(
            "result",
            magnitude=Mux(at.special, special(number_format, at.invalid), Mux(at.nothing, 0, packed)),
            sign=at.sign & ~at.invalid,
        )


def _others(at):
    return {name: value for name, value in vars(at).items() if name not in ("product", "distance", "far")}
