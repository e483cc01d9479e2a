"""The test for infinities and NaN."""

from amaranth.hdl import Cat, Value

from .config import FloatFormat

__all__ = ["any_nonfinite", "is_nonfinite"]


def is_nonfinite(number_format: FloatFormat, bits) -> Value:
    """Whether a number is infinite or NaN: all bits of its exponent are ones. The sign may be missing."""
    return Value.cast(bits)[number_format.fraction_bits :][: number_format.exponent_bits].all()


def any_nonfinite(number_format: FloatFormat, numbers) -> Value:
    """Whether any of several numbers is infinite or NaN."""
    return Cat(is_nonfinite(number_format, bits) for bits in numbers).any()
