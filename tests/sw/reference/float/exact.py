"""The definition of rounding, on exact fractions."""

from fractions import Fraction


def value_of(number_format, bits):
    """Value of a finite number's bit pattern."""
    fraction = bits & (1 << number_format.fraction_bits) - 1
    field = bits >> number_format.fraction_bits & number_format.exponent_ones
    if field:
        fraction += 1 << number_format.fraction_bits
    elif not number_format.gradual:
        fraction = 0
    magnitude = fraction * Fraction(2) ** (max(field, 1) - number_format.bias - number_format.fraction_bits)
    return -magnitude if bits & number_format.sign_bit else magnitude


def nearest(number_format, number, *, negative_zero=False):
    """The bit pattern nearest to an exact number, ties to even; the sign of zero is as told."""
    sign = number_format.sign_bit if number < 0 or number == 0 and negative_zero else 0
    magnitude = abs(number)
    smallest_exponent = 1 - number_format.bias
    if not number_format.gradual and magnitude < Fraction(2) ** smallest_exponent:
        return sign
    exponent = max(floor_log2(magnitude), smallest_exponent) if magnitude else smallest_exponent
    # Python rounds fractions to the nearest even integer.
    units = round(magnitude / Fraction(2) ** (exponent - number_format.fraction_bits))
    bits = units + (exponent - smallest_exponent << number_format.fraction_bits)
    return sign | min(bits, number_format.infinity)


def floor_log2(number):
    """The exponent of the largest power of two that is not above a positive fraction."""
    estimate = number.numerator.bit_length() - number.denominator.bit_length()
    return estimate if Fraction(2) ** estimate <= number else estimate - 1


def is_finite(number_format, bits):
    return bits & number_format.infinity != number_format.infinity
