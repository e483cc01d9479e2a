"""Rounding, saturation and formats against exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rewardware.hw.cores.fixed.format import FixedFormat
from rewardware.sw.reference.fixed.arithmetic import from_words, round_half_up, saturate, to_words

WORDS = st.integers(-(1 << 63), (1 << 63) - 1)


@example(value=(1 << 63) - 1, shift=1)
@given(value=WORDS, shift=st.integers(1, 62))
def test_round_half_up(value, shift):
    expected = (Fraction(value, 1 << shift) + Fraction(1, 2)).__floor__()
    assert round_half_up(np.array([value]), shift)[0] == expected


@given(value=WORDS, width=st.integers(1, 62), is_signed=st.booleans())
def test_saturate(value, width, is_signed):
    number_format = FixedFormat(width=width, fraction=0, signed=is_signed)
    result, saturated = saturate(np.array([value]), width, is_signed=is_signed)
    assert result[0] == max(number_format.minimum, min(number_format.maximum, value))
    assert saturated[0] == (not number_format.minimum <= value <= number_format.maximum)


@given(
    number=st.floats(allow_nan=False, allow_infinity=False),
    width=st.integers(1, 53),
    fraction=st.integers(-20, 60),
    is_signed=st.booleans(),
)
def test_to_words(number, width, fraction, is_signed):
    number_format = FixedFormat(width=width, fraction=fraction, signed=is_signed)
    word = number_format.to_word(number)
    nearest = (Fraction(number) * Fraction(2) ** fraction + Fraction(1, 2)).__floor__()
    assert word == max(number_format.minimum, min(number_format.maximum, nearest))
    assert to_words([number], number_format)[0] == word
    assert to_words(from_words([word], number_format), number_format)[0] == word
    assert number_format.from_word(word) == from_words([word], number_format)[0]


def test_format_refuses():
    with pytest.raises(ValueError, match="^Width must be from 1 to 64, not 65$"):
        FixedFormat(width=65, fraction=0)
    with pytest.raises(TypeError, match="^Fraction must be an integer, not 1.5$"):
        FixedFormat(width=8, fraction=1.5)
    with pytest.raises(TypeError, match="^Signed must be a truth value, not 1$"):
        FixedFormat(width=8, fraction=0, signed=1)
    with pytest.raises(ValueError, match="^Format must have a word for one, and signed 8 bits with 7 fraction bits"):
        _ = FixedFormat(width=8, fraction=7).one
    with pytest.raises(ValueError, match="^Number must be finite, not nan$"):
        FixedFormat(width=8, fraction=0).to_word(float("nan"))
    with pytest.raises(ValueError, match="^Word must be from -128 to 127, not 128$"):
        FixedFormat(width=8, fraction=0).from_word(128)


def test_one():
    assert FixedFormat(width=32, fraction=20).one == 1 << 20


def test_to_words_refuses():
    with pytest.raises(ValueError, match="^Numbers must be finite, not inf$"):
        to_words([1.0, np.inf], FixedFormat(width=32, fraction=20))
    with pytest.raises(ValueError, match="^Width must be at most 53"):
        to_words([1.0], FixedFormat(width=64, fraction=20))
