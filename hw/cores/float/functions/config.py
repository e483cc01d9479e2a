"""Configuration of the function units. No Amaranth here."""

from dataclasses import dataclass

from ...checks import require_integer
from ..config import BINARY16, FloatFormat, find_format

__all__ = ["FloatFunctionConfig"]


@dataclass(frozen=True, kw_only=True)
class FloatFunctionConfig:
    """The format that a function is computed in.

    Parameters
    ----------
    format : FloatFormat or str
        Format of operand and result, or its name in ``FORMATS``. It has 4 exponent and 4 fraction bits or more, and
        its bias is greater than its fraction bits by 2 or more, so that the logarithms of the numbers next to 1 are
        normal numbers.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    format: FloatFormat = BINARY16

    def __post_init__(self):
        object.__setattr__(self, "format", find_format(self.format))
        require_integer("Exponent bits of a function", self.format.exponent_bits, 4, 8)
        require_integer("Fraction bits of a function", self.format.fraction_bits, 4, min(self.format.bias - 2, 23))
