"""Floating-point formats and the configurations of the units. No Amaranth here."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import frexp, inf, ldexp

from ..checks import require_integer
from ..fixed.format import FixedFormat

__all__ = [
    "BFLOAT16",
    "BINARY16",
    "BINARY32",
    "FORMATS",
    "MAXIMUM_DEPTH",
    "FloatConfig",
    "FloatConversionConfig",
    "FloatFixedConfig",
    "FloatFormat",
    "FloatLaneConfig",
    "find_format",
]

# Register stages that a unit can have at most.
MAXIMUM_DEPTH = 7


@dataclass(frozen=True, kw_only=True)
class FloatFormat:
    """An IEEE 754 binary interchange format: sign, biased exponent, fraction, from the top bit down.

    An exponent field ``e`` from 1 to ``2**exponent_bits - 2`` means ``1.fraction * 2**(e - bias)``, 0 means
    ``0.fraction * 2**(1 - bias)`` (zero or a subnormal number), all ones means infinity (fraction 0) or NaN.

    Parameters
    ----------
    exponent_bits : int
        2 to 8.
    fraction_bits : int
        1 to 23, the leading one not counted.
    subnormals : str
        ``"gradual"``: as IEEE 754 has it. ``"flush"``: a subnormal operand is read as a zero of its sign, and a result
        whose exact magnitude is below the smallest normal number becomes a zero of its sign.
    name : str
        Shown to people; formats of different names are equal.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    exponent_bits: int
    fraction_bits: int
    subnormals: str = "gradual"
    name: str = field(default="", compare=False)

    def __post_init__(self):
        require_integer("Exponent bits", self.exponent_bits, 2, 8)
        require_integer("Fraction bits", self.fraction_bits, 1, 23)
        if not isinstance(self.subnormals, str):
            raise TypeError(f"Subnormals must be a text, not {self.subnormals!r}")
        if self.subnormals not in ("gradual", "flush"):
            raise ValueError(f"Subnormals must be gradual or flush, not {self.subnormals!r}")
        if not isinstance(self.name, str):
            raise TypeError(f"Name must be a text, not {self.name!r}")

    @property
    def width(self):
        """Bits of a number."""
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def precision(self):
        """Significant bits of a normal number, the leading one included."""
        return self.fraction_bits + 1

    @property
    def bias(self):
        """The exponent field of 1.0."""
        return (1 << self.exponent_bits - 1) - 1

    @property
    def exponent_ones(self):
        """The exponent field of infinity and NaN."""
        return (1 << self.exponent_bits) - 1

    @property
    def gradual(self):
        """Whether there are subnormal numbers."""
        return self.subnormals == "gradual"

    @property
    def infinity(self):
        """The bit pattern of +infinity."""
        return self.exponent_ones << self.fraction_bits

    @property
    def quiet_nan(self):
        """The one NaN that results are: positive, the top bit of its fraction set."""
        return self.infinity | 1 << self.fraction_bits - 1

    @property
    def largest(self):
        """The bit pattern of the largest finite number."""
        return self.infinity - 1

    @property
    def smallest_normal(self):
        """The bit pattern of the smallest positive normal number."""
        return 1 << self.fraction_bits

    @property
    def one(self):
        """The bit pattern of 1.0."""
        return self.bias << self.fraction_bits

    @property
    def sign_bit(self):
        """The bit pattern of -0.0."""
        return 1 << self.width - 1

    def nearest(self, number):
        """The bit pattern nearest to a positive number among the normal ones, ties to even; for constants.

        Raises
        ------
        ValueError
            A number that rounds to none of them.
        """
        bits = 0
        if 0 < number < inf:
            significand, exponent = frexp(number)
            # A carry out of the fraction counts the exponent up, as it should.
            bits = ((exponent - 2 + self.bias) << self.fraction_bits) + round(ldexp(significand, self.precision))
        if not self.smallest_normal <= bits <= self.largest:
            raise ValueError(f"Number must be positive and normal as {self}, not {number!r}")
        return bits

    def flushing(self):
        """The same format without subnormal numbers."""
        return replace(self, subnormals="flush")

    def __str__(self):
        name = self.name or f"float with {self.exponent_bits} exponent and {self.fraction_bits} fraction bits"
        return name if self.gradual else f"{name}, subnormals flushed"


BINARY16 = FloatFormat(exponent_bits=5, fraction_bits=10, name="binary16")
BFLOAT16 = FloatFormat(exponent_bits=8, fraction_bits=7, name="bfloat16")
BINARY32 = FloatFormat(exponent_bits=8, fraction_bits=23, name="binary32")

# By the names that settings may have: "binary16", "binary16_flush" and so on.
FORMATS = {
    f"{number_format.name}{suffix}": chosen
    for number_format in (BINARY16, BFLOAT16, BINARY32)
    for suffix, chosen in (("", number_format), ("_flush", number_format.flushing()))
}


def find_format(chosen):
    """The format of a name, or of its fields as YAML and checkpoints have them; a FloatFormat is returned as it is.

    Raises
    ------
    TypeError
        Neither a name nor a format.
    ValueError
        No format has that name.
    """
    if isinstance(chosen, FloatFormat):
        return chosen
    if isinstance(chosen, Mapping):
        return FloatFormat(**chosen)
    if not isinstance(chosen, str):
        raise TypeError(f"Format must be a FloatFormat or a name, not {chosen!r}")
    if chosen not in FORMATS:
        raise ValueError(f"Format must be one of {', '.join(FORMATS)}, not {chosen!r}")
    return FORMATS[chosen]


@dataclass(frozen=True, kw_only=True)
class FloatConfig:
    """Format and register stages of a unit.

    Parameters
    ----------
    format : FloatFormat or str
        Format of operands and result, or its name in ``FORMATS``.
    depth : int
        Register stages, 0 (combinational) to 7; the latency.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    format: FloatFormat = BINARY16
    depth: int = 4

    def __post_init__(self):
        object.__setattr__(self, "format", find_format(self.format))
        require_integer("Depth", self.depth, 0, MAXIMUM_DEPTH)


@dataclass(frozen=True, kw_only=True)
class FloatConversionConfig:
    """From one floating-point format to another.

    Parameters
    ----------
    source, target : FloatFormat or str
        Formats, or names in ``FORMATS``.
    depth : int
        Register stages, 0 (combinational) to 7; the latency.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    source: FloatFormat = BINARY32
    target: FloatFormat = BINARY16
    depth: int = 2

    def __post_init__(self):
        object.__setattr__(self, "source", find_format(self.source))
        object.__setattr__(self, "target", find_format(self.target))
        require_integer("Depth", self.depth, 0, MAXIMUM_DEPTH)


@dataclass(frozen=True, kw_only=True)
class FloatFixedConfig:
    """From fixed point to floating point, or back.

    Parameters
    ----------
    format : FloatFormat or str
        The floating-point side: a format, or a name in ``FORMATS``.
    width, fraction, signed
        The word's format, see :class:`.FixedFormat`; the width is 2 to 60.
    depth : int
        Register stages, 0 (combinational) to 7; the latency.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    format: FloatFormat = BINARY16
    width: int = 32
    fraction: int = 16
    signed: bool = True
    depth: int = 3

    def __post_init__(self):
        object.__setattr__(self, "format", find_format(self.format))
        require_integer("Width", self.width, 2, 60)
        _ = self.fixed
        require_integer("Depth", self.depth, 0, MAXIMUM_DEPTH)

    @property
    def fixed(self):
        """The format of the word."""
        return FixedFormat(width=self.width, fraction=self.fraction, signed=self.signed)


@dataclass(frozen=True, kw_only=True)
class FloatLaneConfig:
    """A lane of several adders and multipliers of one format.

    Parameters
    ----------
    format : FloatFormat or str
        A format, or a name in ``FORMATS``.
    adder_depth, multiplier_depth : int
        Register stages, 1 to 7.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    format: FloatFormat = BINARY16
    adder_depth: int = 4
    multiplier_depth: int = 3

    def __post_init__(self):
        object.__setattr__(self, "format", find_format(self.format))
        require_integer("Adder depth", self.adder_depth, 1, MAXIMUM_DEPTH)
        require_integer("Multiplier depth", self.multiplier_depth, 1, MAXIMUM_DEPTH)
