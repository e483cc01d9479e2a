import enum

import numpy as np
import pytest
from amaranth.hdl import Const, Shape, signed, unsigned
from amaranth.lib import data
from hypothesis import given
from hypothesis import strategies as st

from rewardware.sim.cocotb.codec import codec_of


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Pixel(data.Struct):
    level: signed(5)
    place: data.ArrayLayout(unsigned(3), 3)


LAYOUT = data.StructLayout({"flag": 1, "pixels": data.ArrayLayout(Pixel, 2), "value": signed(70)})
PIXEL = st.fixed_dictionaries(
    {"level": st.integers(-16, 15), "place": st.lists(st.integers(0, 7), min_size=3, max_size=3)}
)
VALUE = st.fixed_dictionaries(
    {
        "flag": st.integers(0, 1),
        "pixels": st.lists(PIXEL, min_size=2, max_size=2),
        "value": st.integers(-(2**69), 2**69 - 1),
    }
)


@given(VALUE)
def test_bits_are_those_of_amaranth(value):
    codec = codec_of(LAYOUT)
    bits = codec.pack(value)
    assert bits == LAYOUT.const(value).as_bits()
    assert codec.unpack(bits) == value
    assert codec.width == Shape.cast(LAYOUT).width


@given(st.integers(-128, 127))
def test_numbers(value):
    codec = codec_of(signed(8))
    assert codec.pack(np.int8(value)) == Const(value, unsigned(8)).value
    assert codec.unpack(codec.pack(value)) == value


def test_enumerations_and_truth_values():
    assert codec_of(Colour).pack(Colour.BLUE) == 2
    assert codec_of(unsigned(1)).pack(True) == 1


@pytest.mark.parametrize(
    "shape, value, words",
    [
        (signed(4), 8, "Value must fit in 4 signed bits, not 8"),
        (unsigned(4), -1, "Value must fit in 4 unsigned bits, not -1"),
        (data.ArrayLayout(2, 3), [0, 1], "Value must have 3 elements, not 2"),
        (Pixel, {"level": 0}, r"Value must be a dictionary with the fields level, place, not {'level': 0}"),
    ],
)
def test_what_does_not_fit_is_refused(shape, value, words):
    with pytest.raises(ValueError, match=words):
        codec_of(shape).pack(value)
