"""Conversions between fixed point and floating point, and between floating-point formats."""

from amaranth.hdl import Cat, Const, Mux, Shape, Signal, signed
from amaranth.lib.wiring import In, Out

from .config import FloatConversionConfig, FloatFixedConfig
from .datapath import decode, leading_zeros, round_and_pack, shift_left, shift_right_sticky, special
from .nonfinite import is_nonfinite
from .unit import FloatUnit

__all__ = ["FixedToFloat", "FloatConverter", "FloatToFixed"]


class FixedToFloat(FloatUnit):
    """The floating-point number nearest to a fixed-point word.

    Number format: rounded once, to nearest even; too large becomes infinity, the word 0 is +0.

    Latency: ``depth`` cycles, one operation a cycle; beyond four stages results are only delayed. No back-pressure.

    Parameters
    ----------
    config : FloatFixedConfig

    Members
    -------
    word : In(signed(width)) or In(width)
    result : Out(width of the format)
        Bit pattern.
    nonfinite : Out(1)
        The result is infinite.

    Source
    ------
    IEEE 754-2019, section 5.4.1, convertFromInt.
    """

    PLACES = (
        (),
        ("result",),
        ("count", "result"),
        ("magnitude", "count", "result"),
        ("magnitude", "count", "normal", "result"),
    )

    def __init__(self, config: FloatFixedConfig):
        width = config.format.width
        super().__init__(
            config,
            {"word": In(Shape(config.width, config.signed)), "result": Out(width), "nonfinite": Out(1)},
        )

    def datapath(self, m, stages):
        number_format, width = self._config.format, self._config.width
        sign = self.word[-1] if self._config.signed else Const(0, 1)
        magnitude = Signal(width)
        m.d.comb += magnitude.eq(Mux(sign, -self.word, self.word))
        at = stages.cut("magnitude", magnitude=magnitude, sign=sign)

        # The exponent field if the top bit is the leading one. Below 1 the word starts further down.
        field = number_format.bias + width - 1 - self._config.fraction
        word = Cat(at.magnitude, Const(0, max(0, 1 - field)))
        field, width = max(field, 1), len(word)
        marker = 1 << width - field if number_format.gradual and field <= width else 0
        count, none = leading_zeros(m, word | Const(marker, width), "word")
        at = stages.cut("count", word=word, count=count, none=none, sign=at.sign)

        base = Signal(signed(max(field, width).bit_length() + 1))
        m.d.comb += base.eq(field - 1 - at.count)
        at = stages.cut(
            "normal",
            word=shift_left(m, at.word, at.count, "word"),
            base=base,
            none=at.none if number_format.gradual else at.none | base[-1],
            sign=at.sign,
        )
        padding = Const(0, max(0, number_format.fraction_bits + 2 - width))
        packed = round_and_pack(m, number_format, at.base, at.word[-1], Cat(padding, at.word[:-1]))
        infinite = ~at.none & (at.base >= number_format.exponent_ones - 1)
        at = stages.cut(
            "result",
            magnitude=Mux(infinite, number_format.infinity, Mux(at.none, 0, packed))[: number_format.width - 1],
            sign=at.sign,
        )
        nonfinite = is_nonfinite(number_format, at.magnitude)
        return {"result": Cat(at.magnitude, at.sign), "nonfinite": nonfinite}


class FloatToFixed(FloatUnit):
    """The fixed-point word nearest to a floating-point number.

    Number format: rounded once, to nearest even, then clamped to the range of the word; NaN gives 0. ``saturated`` says
    that the number was out of range or NaN.

    Latency: ``depth`` cycles, one operation a cycle; beyond four stages results are only delayed. No back-pressure.

    Parameters
    ----------
    config : FloatFixedConfig

    Members
    -------
    a : In(width of the format)
        Bit pattern.
    word : Out(signed(width)) or Out(width)
    saturated : Out(1)

    Source
    ------
    IEEE 754-2019, section 5.8, convertToIntegerTiesToEven.
    """

    PLACES = (
        (),
        ("result",),
        ("align", "result"),
        ("distance", "align", "result"),
        ("distance", "align", "round", "result"),
    )

    def __init__(self, config: FloatFixedConfig):
        word = Shape(config.width, config.signed)
        super().__init__(config, {"a": In(config.format.width), "word": Out(word), "saturated": Out(1)})

    def datapath(self, m, stages):
        number_format, width = self._config.format, self._config.width
        a = decode(m, number_format, self.a, "a")
        # How far the number moves right from where its leading one is the top bit of the word. Where not even subnormal
        # numbers have to, these move left first, and what then leaves the word at its top is too large.
        start = width - 1 - self._config.fraction + number_format.bias
        left = min(max(1 - start, 0), number_format.precision) if number_format.gradual else 0
        inside = number_format.precision - left
        distance = Signal(signed(11))
        m.d.comb += distance.eq(start + left - a.exponent)
        at = stages.cut(
            "distance",
            significand=Cat(Const(0, left), a.significand[:inside]),
            distance=distance,
            sign=a.sign,
            too_large=a.special | distance[-1] & ~a.zero | a.significand[inside:].any(),
            nan=a.nan,
        )

        # The word, below it the bit to round by.
        below = max(1, number_format.precision - width)
        top = Cat(Const(0, width + below - number_format.precision), at.significand)
        amount_bits = len(top).bit_length()
        shifted, cut = shift_right_sticky(m, top, at.distance[:amount_bits], "top")
        far = at.distance[amount_bits:-1].any()
        at = stages.cut(
            "align",
            kept=Mux(far, 0, shifted[below - 1 :]),
            sticky=~far & (cut | shifted[: below - 1].any()),
            sign=at.sign,
            too_large=at.too_large,
            nan=at.nan,
        )

        rounded = Signal(width + 1)
        m.d.comb += rounded.eq(at.kept[1:] + (at.kept[0] & (at.sticky | at.kept[1])))
        at = stages.cut("round", rounded=rounded, sign=at.sign, too_large=at.too_large, nan=at.nan)
        saturated, limit = Signal(), Signal(width)
        if self._config.signed:
            # The smallest word has the one magnitude that no positive word has.
            low = at.rounded[: width - 1]
            m.d.comb += [
                saturated.eq(at.too_large | at.rounded[-1] | at.rounded[-2] & (~at.sign | low.any())),
                limit.eq(Cat((~at.sign).replicate(width - 1), at.sign)),
            ]
        else:
            m.d.comb += [
                saturated.eq(at.too_large | at.rounded[-1] | at.sign & at.rounded.any()),
                limit.eq((~at.sign).replicate(width)),
            ]
        magnitude = at.rounded[:width]
        at = stages.cut(
            "result",
            word=Mux(at.nan, 0, Mux(saturated, limit, Mux(at.sign, -magnitude, magnitude)))[:width],
            saturated=saturated,
        )
        return vars(at)


class FloatConverter(FloatUnit):
    """A number in another floating-point format.

    Number format: rounded once, to nearest even, as the target says; exact where the target has the exponents and the
    fraction bits of the source. Every NaN becomes the target's quiet one with a positive sign.

    Latency: ``depth`` cycles, one operation a cycle; beyond three stages results are only delayed. No back-pressure.

    Parameters
    ----------
    config : FloatConversionConfig

    Members
    -------
    a : In(width of the source)
        Bit pattern.
    result : Out(width of the target)
    nonfinite : Out(1)
        The result is infinite or NaN.

    Source
    ------
    IEEE 754-2019, section 5.4.2, convertFormat.
    """

    PLACES = ((), ("result",), ("normal", "result"), ("distance", "normal", "result"))

    def __init__(self, config: FloatConversionConfig):
        super().__init__(
            config, {"a": In(config.source.width), "result": Out(config.target.width), "nonfinite": Out(1)}
        )

    def datapath(self, m, stages):
        source, target = self._config.source, self._config.target
        a = decode(m, source, self.a, "a")
        higher = target.bias - source.bias
        # The target's exponent field if the leading one is where normal numbers have it, and how far from there it is:
        # to the left for numbers that the target has as normal ones, to the right for those it has as subnormal ones.
        field = Signal(signed(max(source.exponent_bits, target.exponent_bits) + 2))
        m.d.comb += field.eq(a.exponent + higher)
        amount, none = Const(0, 1), Const(0, 1)
        if higher > 0 and source.gradual:
            marker = 1 << source.fraction_bits - higher if target.gradual and higher <= source.fraction_bits else 0
            amount, none = leading_zeros(m, a.significand | Const(marker, source.precision), "significand")
        elif higher < 0:
            amount = Mux(field < 1, 1 - field, 0)[: len(field)]
        at = stages.cut(
            "distance",
            significand=a.significand,
            amount=amount,
            field=field,
            sign=a.sign,
            zero=a.zero,
            special=a.special,
            nan=a.nan,
        )

        padding = max(0, target.fraction_bits + 2 - source.fraction_bits)
        word = Cat(Const(0, padding), at.significand)
        base = Signal(field.shape())
        if higher > 0:
            base = Signal(signed(max(len(field), len(at.amount) + 1)))
            word = shift_left(m, word, at.amount, "word") if source.gradual else word
            m.d.comb += base.eq(at.field - 1 - at.amount)
            tiny = base[-1]
        else:
            amount_bits = min(len(at.amount), len(word).bit_length())
            shifted, cut = shift_right_sticky(m, word, at.amount[:amount_bits], "word")
            far = at.amount[amount_bits:].any()
            word = Cat(Mux(far, ~at.zero, shifted[0] | cut), Mux(far, 0, shifted[1:]))
            m.d.comb += base.eq(Mux(at.field < 1, 0, at.field - 1))
            tiny = ~word[-1]
        nothing = at.zero if target.gradual else at.zero | tiny
        at = stages.cut("normal", word=word, base=base, nothing=nothing, sign=at.sign, special=at.special, nan=at.nan)
        packed = round_and_pack(m, target, at.base, at.word[-1], at.word[:-1])
        infinite = at.special | ~at.nothing & (at.base >= target.exponent_ones - 1)
        at = stages.cut(
            "result",
            magnitude=Mux(infinite, special(target, at.nan), Mux(at.nothing, 0, packed)),
            sign=at.sign & ~at.nan,
        )
        return {"result": Cat(at.magnitude, at.sign), "nonfinite": is_nonfinite(target, at.magnitude)}
