"""Parts of the floating-point units: register stages, fields, counting and shifting."""

from types import SimpleNamespace

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from .config import FloatFormat

__all__ = ["Stages", "decode", "leading_zeros", "round_and_pack", "shift_left", "shift_right_sticky", "special"]


class Stages:
    """The places in a datapath where registers may stand, and those where they do.

    Parameters
    ----------
    m : Module
        The statements of the unit go there.
    places : tuple of str
        Where registers stand; one place is one cycle of latency.
    """

    def __init__(self, m: Module, places: tuple[str, ...]):
        self._m = m
        self._places = places
        self._passed: list[str] = []

    def cut(self, place: str, **values) -> SimpleNamespace:
        """The values on the other side of ``place``: registers if one stands there, otherwise names for them."""
        self._passed.append(place)
        registered = self.stands(place)
        domain = self._m.d.sync if registered else self._m.d.comb
        signals = {}
        for name, value in values.items():
            value = Value.cast(value)
            signals[name] = Signal(value.shape(), name=f"{place}_{name}", reset_less=True)
            domain += signals[name].eq(value)
        return SimpleNamespace(**signals)

    def stands(self, place: str) -> bool:
        """Whether registers stand at ``place``."""
        return place in self._places

    def finish(self):
        """Make sure that every register stage has been passed."""
        missing = [place for place in self._places if place not in self._passed]
        if missing:
            raise ValueError(f"Places of registers must be among {', '.join(self._passed)}, not {', '.join(missing)}")


def decode(
    m: Module, number_format: FloatFormat, bits: Value, name: str, is_normal: Value | None = None
) -> SimpleNamespace:
    """The parts of a bit pattern, and what kind of number it is; ``is_normal`` where it is known already.

    ``sign``, ``fraction`` and ``exponent`` are its fields, that of subnormal numbers 1 as their weight is, and
    ``significand`` has the leading one above the fraction. ``normal`` also holds for infinity and NaN,
    together ``special``; ``zero`` for what is read as zero; ``nan`` for NaN.
    """
    fraction_bits, gradual = number_format.fraction_bits, number_format.gradual
    fraction, field, sign = bits[:fraction_bits], bits[fraction_bits : number_format.width - 1], bits[-1]
    normal, zero, special, nan, present = (
        Signal(name=f"{name}_{kind}") for kind in ("normal", "zero", "special", "nan", "present")
    )
    m.d.comb += [
        normal.eq(field.any() if is_normal is None else is_normal),
        special.eq(field.all()),
        present.eq(fraction.any()),
        nan.eq(special & present),
        zero.eq(~normal & ~present if gradual else ~normal),
    ]
    return SimpleNamespace(
        sign=sign,
        fraction=fraction,
        exponent=Cat(field[0] | ~normal, field[1:]) if gradual else field,
        significand=Cat(fraction if gradual else fraction & normal.replicate(fraction_bits), normal),
        normal=normal,
        zero=zero,
        special=special,
        nan=nan,
    )


def leading_zeros(m: Module, value: Value, name: str):
    """``(count, none)``: the zeros above the highest one, and whether there is no one at all.

    The count is undefined where there is none. A tree of pairs.
    """
    width = 1 << (len(value) - 1).bit_length()
    # Zeros below do not change the count.
    bits = Cat(Const(0, width - len(value)), value)
    counts, empty = [Const(0, 0)] * width, [~bits[index] for index in range(width)]
    level = 0
    while len(empty) > 1:
        level += 1
        pairs = range(0, len(empty), 2)
        next_counts, next_empty = [], []
        for low in pairs:
            count = Signal(level, name=f"{name}_count_{level}_{low // 2}")
            none = Signal(name=f"{name}_none_{level}_{low // 2}")
            m.d.comb += [
                count.eq(Cat(Mux(empty[low + 1], counts[low], counts[low + 1]), empty[low + 1])),
                none.eq(empty[low] & empty[low + 1]),
            ]
            next_counts.append(count)
            next_empty.append(none)
        counts, empty = next_counts, next_empty
    return counts[0], empty[0]


def shift_left(m: Module, value: Value, amount: Value, name: str, fill: Value | int = 0) -> Value:
    """``value << amount`` within the width of ``value``, ``fill`` in the places that become free.

    A multiplexer for each bit of ``amount``, the highest first.
    """
    width, fill = len(value), Value.cast(fill)[:1]
    for index in reversed(range(len(amount))):
        distance = min(1 << index, width)
        shifted = Signal(width, name=f"{name}_left_{1 << index}")
        m.d.comb += shifted.eq(Mux(amount[index], Cat(fill.replicate(distance), value[: width - distance]), value))
        value = shifted
    return value


def shift_right_sticky(m: Module, value: Value, amount: Value, name: str):
    """``(value >> amount, whether ones were cut)``, a multiplexer a bit of it."""
    width = len(value)
    cut = []
    for index in reversed(range(len(amount))):
        distance = 1 << index
        shifted = Signal(width, name=f"{name}_right_{distance}")
        m.d.comb += shifted.eq(Mux(amount[index], value[distance:], value))
        cut.append(amount[index] & value[:distance].any())
        value = shifted
    sticky = Signal(name=f"{name}_sticky")
    m.d.comb += sticky.eq(Cat(cut).any())
    return value, sticky


def round_and_pack(
    m: Module, number_format: FloatFormat, base: Value, leading: Value, rest: Value, one_more: Value | int = 0
) -> Value:
    """Exponent and fraction, rounded to nearest even.

    Parameters
    ----------
    base : Value
        Exponent field, less what ``leading`` says.
    leading : Value
        Is added to the field: 1 for a leading one before the fraction, 0 for a subnormal number.
    rest : Value
        The fraction, below it the bit to round by, below that those that break a tie.
    one_more : Value
        One in the last place is missing in ``rest``.

    Returns
    -------
    Value
        All bits but the sign. Rounding up may have counted up the exponent, to infinity at most.
    """
    fraction_bits = number_format.fraction_bits
    fraction = rest[-fraction_bits:]
    half, tie_breakers = rest[-fraction_bits - 1], rest[: -fraction_bits - 1]
    up, packed = Signal(name="round_up"), Signal(number_format.width - 1, name="packed")
    # With the missing one, tie breakers of all ones are none, and count up the bit to round by.
    m.d.comb += up.eq(half & (fraction[0] | tie_breakers.any()) | one_more & tie_breakers.all() & fraction[0])
    m.d.comb += packed.eq(
        Cat(fraction, base[: number_format.exponent_bits]) + Cat(up, Const(0, fraction_bits - 1), leading)
    )
    return packed


def special(number_format: FloatFormat, invalid: Value) -> Value:
    """All bits but the sign of infinity, or of the quiet NaN if ``invalid``."""
    return Cat(Const(0, number_format.fraction_bits - 1), invalid, Const(-1, number_format.exponent_bits))
