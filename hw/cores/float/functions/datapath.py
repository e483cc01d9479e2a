"""Parts of the function units: normalised operands, delayed values, subnormal results."""

from types import SimpleNamespace

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed

from ...pipeline import delay
from ..config import FloatFormat
from ..datapath import leading_zeros, shift_left, shift_right_sticky

__all__ = ["hold", "normalise", "shift_to_subnormal", "weigh", "without"]


def hold(m: Module, cycles: int, **values: Value) -> SimpleNamespace:
    """The values, ``cycles`` registers later."""
    return SimpleNamespace(
        **{name: delay(m, Value.cast(value), cycles, f"{name}_{cycles}") for name, value in values.items()}
    )


def without(values: SimpleNamespace, *names: str) -> dict[str, Value]:
    """The values but some, for :func:`hold`."""
    return {name: value for name, value in vars(values).items() if name not in names}


def normalise(m: Module, number_format: FloatFormat, operand: SimpleNamespace, later: int = 0):
    """``(fraction, field, rest)`` of a decoded operand: that of a subnormal number is moved up, its field is 0 or less.

    Parameters
    ----------
    later : int
        Lowest bits of the distance by which the fraction is not moved here: ``rest``, for :func:`shift_left` in a
        later cycle, so that the count of zeros is not on the way of the whole shift.
    """
    field = Signal(signed(number_format.exponent_bits + 1), name="normalised_field")
    if not number_format.gradual:
        m.d.comb += field.eq(operand.exponent)
        return operand.fraction, field, Const(0, 0)
    zeros, _ = leading_zeros(m, operand.fraction, "fraction")
    rest = zeros[:later] & (~operand.normal).replicate(later)
    shifted = shift_left(m, operand.fraction, Cat(Const(0, later), zeros[later:]), "fraction")
    fraction = Signal(number_format.fraction_bits, name="normalised_fraction")
    m.d.comb += [
        # The highest one becomes the leading one and leaves at the top.
        fraction.eq(Mux(operand.normal, operand.fraction, Cat(Const(0, 1), shifted[:-1]))),
        # The field of a subnormal number is 0, less its zeros.
        field.eq(
            Cat(operand.exponent[0] & operand.normal, operand.exponent[1:])
            - (zeros & (~operand.normal).replicate(len(zeros)))
        ),
    ]
    return fraction, field, rest


def weigh(m: Module, number_format: FloatFormat, field: Value, maximum: int) -> dict[str, Value]:
    """The consequences of an exponent field for rounding.

    ``base`` is one less than the field, at least 0; ``low`` says that the field is below 1, and ``zero`` that it is 0.
    By ``distance`` a magnitude moves right to be subnormal: for formats with subnormal numbers, and up to ``maximum``.
    ``far`` says that it is more than that: nothing remains but a sticky bit.

    Parameters
    ----------
    field : Value
        Signed.
    maximum : int
    """
    low, zero, base = Signal(name="low"), Signal(name="zero"), Signal(number_format.exponent_bits, name="base")
    m.d.comb += [low.eq(field < 1), zero.eq(field == 0), base.eq(Mux(low, 0, field - 1))]
    if not number_format.gradual:
        return {"low": low, "zero": zero, "base": base}
    right, far = Signal(len(field), name="right"), Signal(name="far")
    distance = Signal(maximum.bit_length(), name="distance")
    m.d.comb += [
        right.eq(Mux(low, 1 - field, 0)),
        distance.eq(right),
        far.eq(right[len(distance) :].any()),
    ]
    return {"base": base, "distance": distance, "far": far}


def shift_to_subnormal(m: Module, magnitude: Value, distance: Value, far: Value) -> Value:
    """``magnitude`` as far to the right as :func:`weigh` says, the last bit sticky."""
    shifted, cut = shift_right_sticky(m, magnitude, distance, "subnormal")
    sticky = Mux(far, magnitude.any(), shifted[0] | cut)
    return Cat(sticky, Mux(far, Const(0, len(magnitude) - 1), shifted[1:]))
